#include "service.h"

#include <fmt/format.h>

#include <future>

#include "jvm/jdwp_agent.h"
#include "log.h"

namespace ddm {
namespace {

// A running handler may hold up the VM's end this long and no longer.
constexpr std::chrono::milliseconds kExitPatience{100};

// For the quick lane to say where the jdwp agent is.
constexpr std::chrono::seconds kLookingTime{2};

// "dt_socket:5005", "dt_socket:10.1.2.3:5005"; "" for none.
Result<DebuggerRelay::Backend> backend_at(std::string_view listener) {
  constexpr std::string_view kTransport = "dt_socket:";
  if (!listener.starts_with(kTransport)) {
    return Error{"no jdwp agent of this VM waits for a debugger on a socket"};
  }
  const auto address = parse_address(listener.substr(kTransport.size()));
  if (!address) return address.error();
  DebuggerRelay::Backend backend{{*address}, Access::kUser};
  if (is_loopback(*address)) {  // a port alone does not say which loopback
    backend.places.push_back(*address);
    backend.places.back().host = "::1";
  }
  return backend;
}

void log_of_server(Severity severity, const std::string& text) {
  switch (severity) {
    case Severity::kWarning:
      log_warn("{}", text);
      break;
    case Severity::kInfo:
      log_info("{}", text);
      break;
    case Severity::kDebug:
      log_debug("{}", text);
      break;
  }
}

}  // namespace

Service::Service(jvmtiEnv* jvmti) : quick_(jvmti, "ddmagent"), slow_(jvmti, "ddmagent-slow") {}

Service::~Service() { close(); }

bool Service::start_lanes(JNIEnv* jni) {
  const std::lock_guard lock(lanes_mutex_);
  if (lanes_started_) return true;
  for (AgentThread* thread : {&quick_, &slow_}) {
    const std::string error = thread->start(jni);
    if (!error.empty()) {
      log_error("starting the agent's threads: {}", error);
      return false;
    }
  }
  lanes_started_ = true;
  return true;
}

void Service::open(JNIEnv* jni, const Options& options, const VmFacts& facts,
                   SessionObserver* observer) {
  const auto address = parse_address(options.address);
  if (!address) {  // the option parser has checked it
    log_error("{}", address.message());
    return;
  }
  if (address->kind == Address::Kind::kNone) return;
  ServerOptions server_options;
  server_options.address = *address;
  server_options.connect_out = !options.server;
  server_options.access = options.access_any ? Access::kAny : Access::kUser;
  server_options.compression = options.compress == Compress::kAlways  ? Compression::kAlways
                               : options.compress == Compress::kNever ? Compression::kNever
                                                                      : Compression::kAuto;
  server_options.observer = observer;
  server_options.log = log_of_server;
  prepare_debugger(options.debugger);
  server_options.debugger = debugger_.get();
  auto server = Server::start(std::move(server_options), dispatcher_, *this);
  if (!server) {
    log_error("{}; the program runs on without a DDM server", server.message());
    return;
  }
  server_ = std::move(*server);
  // Requests may have come already: they wait in the lanes, so no handler runs before the server
  // can be asked for its sessions.
  if (!start_lanes(jni)) {
    server_->stop();
    server_.reset();
    return;
  }
  if (!options.server) return;

  const std::string bound = to_string(server_->bound_address());
  write_stderr(fmt::format("ddmagent: pid {} listening on {}\n", facts.pid, bound));
  auto discovery = DiscoveryFile::publish({.app = facts.app, .address = bound, .vm = facts.vm});
  if (discovery) {
    const std::lock_guard lock(discovery_mutex_);
    discovery_.emplace(std::move(*discovery));
  } else {
    log_warn("{}; `ddm ps` will not show this program", discovery.message());
  }
}

void Service::prepare_debugger(const std::string& option) {
  if (option == "none") return;
  DebuggerRelay::Find find = [this] { return find_jdwp_agent(); };
  if (option != "auto") {
    find = [place = parse_address(option)]() -> Result<DebuggerRelay::Backend> {
      if (!place) return place.error();
      return DebuggerRelay::Backend{{*place}};
    };
  }
  debugger_ = std::make_unique<DebuggerRelay>(std::move(find), log_of_server);
}

// On the relay's thread, which the VM does not know; so the quick lane looks.
Result<DebuggerRelay::Backend> Service::find_jdwp_agent() {
  auto found = std::make_shared<std::promise<std::string>>();
  auto answer = found->get_future();
  quick_.post([found](JNIEnv* jni) { found->set_value(jdwp_listener(jni)); });
  found.reset();  // from here on the task alone holds it, and lets it go if it never runs
  if (answer.wait_for(kLookingTime) != std::future_status::ready) {
    return Error{"the VM does not say in time whether it has a jdwp agent"};
  }
  try {
    return backend_at(answer.get());
  } catch (const std::future_error&) {
    return Error{"the program ends"};
  }
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
  if (server_) server_->stop();
  const std::lock_guard lock(lanes_mutex_);
  if (lanes_started_) {
    quick_.stop(kExitPatience);
    slow_.stop(kExitPatience);
  }
  if (debugger_) debugger_->stop();
}

// One request a task of the thread's, so that requests do not hold up what the agent itself posts.
void Service::take_turn(AgentThread& thread, FairQueue& queue) {
  const bool posted = thread.post([&thread, &queue](JNIEnv*) {
    bool more = false;
    const FairQueue::Task task = queue.take(more);
    if (more) take_turn(thread, queue);
    if (task) task();
  });
  if (!posted) queue.clear();
}

// What is slow passes through the quick lane on its way: what the same server has asked before
// (HPIF 3, then HPGC) is done when it begins, though not the other way round.
void Service::run(Lane lane, std::uint64_t session, std::function<void()> task) {
  if (lane == Lane::kSlow) {
    task = [this, session, slow = std::move(task)]() mutable {
      if (slow_requests_.push(session, std::move(slow))) take_turn(slow_, slow_requests_);
    };
  }
  if (quick_requests_.push(session, std::move(task))) take_turn(quick_, quick_requests_);
}

}  // namespace ddm
