#include "wire/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/exit_limits.h"
#include "core/log.h"
#include "vm/jdwp_agent.h"
#include "wire/sessions/address_lookup.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// "dt_socket:5005", "dt_socket:10.1.2.3:5005"; "" for none.
Result<DebuggerRelay::Backend> backend_at(std::string_view listener) {
  constexpr std::string_view kTransport = "dt_socket:";
  if (!listener.starts_with(kTransport)) {
    return Error{"no jdwp agent of this VM waits for a debugger on a socket"};
  }
  const auto address = parse_address(listener.substr(kTransport.size()));
  if (!address) return address.error();
  DebuggerRelay::Backend backend{{*address}, Access::kUser};
  if (is_loopback(*address)) {  // a port alone does not say on which loopback address
    backend.places.push_back(*address);
    backend.places.back().host = "::1";
  }
  return backend;
}

}  // namespace

void log_of_server(LogLevel level, const std::string& text) { log_at(level, "{}", text); }

Service::Service(jvmtiEnv* jvmti)
    : jvmti_(jvmti), quick_(jvmti, "ddmagent"), slow_(jvmti, "ddmagent-slow") {}

Service::~Service() { close(); }

void Service::expect_debuggers() {
  const auto refuse = [](FairQueue& requests) {
    const Reply::DropReason reason("a debugger holds the thread for it");
    requests.clear();
  };
  lane_watch_ = std::make_unique<LaneWatch>(
      std::vector<LaneWatch::Watched>{{&quick_, true, [this, refuse] { refuse(quick_requests_); }},
                                      {&slow_, false, [this, refuse] { refuse(slow_requests_); }}},
      [this](JNIEnv* jni) { return suspended_threads(jvmti_, jni); });
  lane_watch_->start();
}

void Service::answered_later(std::weak_ptr<OpenRequest> request) {
  if (lane_watch_) lane_watch_->add(std::move(request));
}

bool Service::start_lanes(JNIEnv* jni) {
  for (AgentThread* thread : {&quick_, &slow_}) {
    const std::string error = thread->start(jni);
    if (!error.empty()) {
      log_error("starting the agent's threads: {}", error);
      return false;
    }
  }
  return true;
}

Result<std::shared_ptr<IoLoop>> Service::io() {
  if (!io_) {
    auto created = IoLoop::create(log_of_server);
    if (!created) return created.error();
    io_ = std::move(*created);
  }
  return io_;
}

void Service::open(JNIEnv* jni, const ServiceOptions& options, const VmFacts& facts,
                   SessionObserver* observer) {
  const auto address = parse_address(options.address);
  if (!address) {  // checked by the option parser
    log_error("{}", address.message());
    return;
  }
  if (address->kind == Address::Kind::kNone) {
    if (!options.server) log_error("server=n has no effect with address=none");
    return publish(facts, "none");
  }
  ServerOptions server_options;
  server_options.address = *address;
  server_options.connect_out = !options.server;
  server_options.access = options.access_any ? Access::kAny : Access::kUser;
  server_options.compression = options.compress;
  server_options.observer = observer;
  server_options.log = log_of_server;
  prepare_debugger(options.debugger);
  server_options.debugger = debugger_.get();
  auto loop = io();
  auto server = loop ? Server::bind(std::move(server_options), dispatcher_, *this, *loop)
                     : Result<std::unique_ptr<Server>>(loop.error());
  if (!server) {
    log_error("{}; the program runs on without a DDM server", server.message());
    return publish(facts, "none");
  }
  if (!start_lanes(jni)) return;
  server_ = std::move(*server);
  serving_.store(server_.get(), std::memory_order_release);
  // Only now, so that no handler runs before the server can be asked for its sessions. The lanes may
  // be running already.
  if (!server_->accept()) {
    log_error(
        "no thread could be started for connections; the program runs on without a DDM server");
    return;
  }
  if (!options.server) return publish(facts, "none");

  const std::string bound = to_string(server_->bound_address());
  announce(fmt::format("pid {} listening on {}", facts.pid, bound));
  publish(facts, bound);
}

void Service::publish(const VmFacts& facts, const std::string& address) {
  if (address == "none" && dyper_.empty()) return;
  auto discovery = DiscoveryFile::publish(
      {.app = facts.app, .address = address, .dyper = dyper_, .vm = facts.vm});
  if (discovery) {
    const std::lock_guard lock(discovery_mutex_);
    discovery_.emplace(std::move(*discovery));
  } else {
    log_warn("{}; `ddm ps` will not show this program", discovery.message());
  }
}

void Service::prepare_debugger(const std::string& option) {
  if (option == "none") return;
  using Backend = DebuggerRelay::Backend;
  DebuggerRelay::Find find = [this](const auto& waker) { return find_jdwp_agent(waker); };
  if (option != "auto") {
    find = [place = parse_address(option)](const std::shared_ptr<Waker>&) {
      return at_once(place ? Result<Backend>(Backend{{*place}}) : place.error());
    };
  }
  debugger_ = std::make_unique<DebuggerRelay>(std::move(find), log_of_server);
}

// Called on the relay's thread, which is not attached; the lookup runs on the quick lane.
std::future<Result<DebuggerRelay::Backend>> Service::find_jdwp_agent(
    const std::shared_ptr<Waker>& waker) {
  auto found = std::make_shared<std::promise<Result<DebuggerRelay::Backend>>>();
  auto answer = found->get_future();
  quick_.post([found, waker](JNIEnv* jni) {
    const std::string listener = jdwp_listener(jni);
    const bool starts = listener.empty() && !jdwp_library().empty();
    found->set_value(starts ? DebuggerRelay::Backend{{}, Access::kUser, true}
                            : backend_at(listener));
    waker->wake();
  });
  return answer;
}

void Service::debugger_gone(const SessionPtr& session) {
  if (debugger_) debugger_->detach(session);
}

void Service::rename_app(const std::string& app) {
  const std::lock_guard lock(discovery_mutex_);
  if (!discovery_) return;
  if (const auto error = discovery_->rename_app(app)) log_warn("{}", error->message);
}

void Service::close() {
  {
    const std::lock_guard lock(discovery_mutex_);
    discovery_.reset();
  }
  if (Server* const opened = server()) opened->stop();
  if (lane_watch_) lane_watch_->stop();
  const auto deadline = Clock::now() + exit_limits::kRequestLimit;
  for (AgentThread* thread : {&quick_, &slow_}) thread->stop(milliseconds::zero());
  for (AgentThread* thread : {&quick_, &slow_}) {
    thread->stop(
        std::max(milliseconds::zero(), std::chrono::ceil<milliseconds>(deadline - Clock::now())));
  }
  if (debugger_) debugger_->stop();
}

// One request per task of the thread, so requests do not delay the agent's own tasks.
void Service::take_turn(AgentThread& thread, FairQueue& queue) {
  const bool posted = thread.post([&thread, &queue](JNIEnv*) {
    bool more = true;
    guarded("a request", [&] { more = queue.run_next(); });  // tasks of other sessions continue
    if (more) take_turn(thread, queue);
  });
  if (!posted) queue.clear();
}

// Slow requests pass through the quick lane first: earlier requests of the same server (HPIF 3,
// then HPGC) are complete when they start, but not the other way round.
void Service::run(Lane lane, const SessionPtr& session, std::function<void()> task,
                  FairQueue::Kind kind) {
  if (lane == Lane::kSlow) {
    task = [this, session, slow = std::move(task), kind]() mutable {
      if (slow_requests_.push(session, std::move(slow), kind)) take_turn(slow_, slow_requests_);
    };
  }
  if (quick_requests_.push(session, std::move(task), kind)) take_turn(quick_, quick_requests_);
}

// Called on the I/O thread, which neither blocks on a disk nor is attached: what closed sessions
// asked for is destroyed on the quick lane.
void Service::resume() {
  for (FairQueue* const queue : {&quick_requests_, &slow_requests_}) {
    auto dropped = queue->take_dropped();
    if (!dropped.empty()) quick_.post([gone = std::move(dropped)](JNIEnv*) {});
  }
  if (quick_requests_.resume()) take_turn(quick_, quick_requests_);
  if (slow_requests_.resume()) take_turn(slow_, slow_requests_);
}

}  // namespace ddm
