#include "service.h"

#include <fmt/format.h>

#include "log.h"

namespace ddm {
namespace {

// A running handler may hold up the VM's end this long and no longer.
constexpr std::chrono::milliseconds kExitPatience{100};

void log_of_server(Severity severity, const std::string& text) {
  switch (severity) {
    case Severity::kWarning: log_warn("{}", text); break;
    case Severity::kInfo: log_info("{}", text); break;
    case Severity::kDebug: log_debug("{}", text); break;
  }
}

}  // namespace

Service::Service(jvmtiEnv* jvmti) : quick_(jvmti, "ddmagent"), slow_(jvmti, "ddmagent-slow") {}

Service::~Service() { close(); }

bool Service::start_threads(JNIEnv* jni) {
  for (AgentThread* thread : {&quick_, &slow_}) {
    const std::string error = thread->start(jni);
    if (!error.empty()) {
      log_error("starting the agent's threads: {}", error);
      return false;
    }
  }
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
  auto server = Server::start(std::move(server_options), dispatcher_, *this);
  if (!server) {
    log_error("{}; the program runs on without a DDM server", server.message());
    return;
  }
  server_ = std::move(*server);
  // Requests may have come already: they wait in the lanes, so no handler runs before the server
  // can be asked for its sessions.
  if (!start_threads(jni)) {
    server_->stop();
    server_.reset();
    return;
  }
  if (!options.server) return;

  const std::string bound = to_string(server_->bound_address());
  write_stderr(fmt::format("ddmagent: pid {} listening on {}\n", facts.pid, bound));
  if (!is_loopback(server_->bound_address())) {
    log_warn("{} can be reached from other machines", bound);
  }
  auto discovery = DiscoveryFile::publish({.app = facts.app, .address = bound, .vm = facts.vm});
  if (discovery) {
    const std::lock_guard lock(discovery_mutex_);
    discovery_.emplace(std::move(*discovery));
  } else {
    log_warn("{}; `ddm ps` will not show this program", discovery.message());
  }
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
  if (server_) {
    quick_.stop(kExitPatience);
    slow_.stop(kExitPatience);
  }
}

void Service::run(Lane lane, std::function<void()> task) {
  AgentThread& thread = lane == Lane::kSlow ? slow_ : quick_;
  thread.post([task = std::move(task)](JNIEnv*) { task(); });
}

}  // namespace ddm
