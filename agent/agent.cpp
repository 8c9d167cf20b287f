#include "agent.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "callbacks.h"
#include "handlers/native_thread.h"
#include "jvm/jvmti_error.h"
#include "jvm/vm_log.h"
#include "log.h"

namespace ddm {
namespace {

// Events whose callbacks cost nothing until they happen; on as long as the agent is loaded.
constexpr jvmtiEvent kThreadEvents[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};

// For a report that is being written already.
constexpr std::chrono::milliseconds kReportPatience{10000};

Agent* g_agent = nullptr;

// Options that are understood but not served yet: said once, and the program runs on without.
void warn_of_unserved(const Options& options) {
  if (!options.ring.empty()) {
    log_warn("ring={} is not served yet: the records stay in memory and a kill loses them",
             options.ring);
  }
  if (options.walker != "auto" && options.walker != "jvmti") {
    log_warn("walker={} is not served yet: stacks are walked by jvmti", options.walker);
  }
}

jvmtiEnv* environment_of(JavaVM* vm) {
  void* jvmti = nullptr;
  if (vm->GetEnv(&jvmti, JVMTI_VERSION_11) != JNI_OK) {
    log_error("this VM has no JVMTI 11; HotSpot 17 or newer is needed");
    return nullptr;
  }
  return static_cast<jvmtiEnv*>(jvmti);
}

TrackingOptions tracking_options(const Options& options) {
  return {options.engine, options.interval, options.records, options.depth};
}

}  // namespace

Agent::Agent(jvmtiEnv* jvmti, Options options)
    : jvmti_(jvmti), options_(std::move(options)), load_time_(std::time(nullptr)) {}

jint Agent::load(JavaVM* vm, const char* option_text) {
  ParsedOptions parsed = parse_options(option_text != nullptr ? option_text : "");
  if (!parsed.error.empty()) {
    log_error("{}", parsed.error);
    return JNI_ERR;
  }
  if (parsed.options.help) {
    std::fputs(help_text().c_str(), stdout);
    std::exit(std::fflush(stdout) == 0 ? 0 : 1);
  }
  if (g_agent != nullptr) {
    log_error("the agent is given twice on the command line");
    return JNI_ERR;
  }
  set_log_level(parsed.options.log);
  jvmtiEnv* jvmti = environment_of(vm);
  if (jvmti == nullptr) return JNI_ERR;

  auto* agent = new Agent(jvmti, std::move(parsed.options));
  if (!agent->add_capabilities() || set_callbacks(jvmti, agent) != JVMTI_ERROR_NONE ||
      !agent->enable({JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH})) {
    log_error("the VM refused what the agent needs");
    return JNI_ERR;
  }
  g_agent = agent;
  return JNI_OK;
}

jint Agent::attach(JavaVM* vm, const char* option_text) {
  ParsedOptions parsed = parse_options(option_text != nullptr ? option_text : "");
  if (!parsed.error.empty()) {
    log_error("{}", parsed.error);
    return JNI_ERR;
  }
  if (parsed.options.help) {
    write_stderr(help_text());  // the program's stdout is not ours, and it goes on
    return JNI_OK;
  }
  void* jni = nullptr;
  if (vm->GetEnv(&jni, JNI_VERSION_10) != JNI_OK) {
    log_error("attach: the calling thread has no JNI environment");
    return JNI_ERR;
  }
  if (g_agent != nullptr) return g_agent->reload(static_cast<JNIEnv*>(jni), parsed.options);

  set_log_level(parsed.options.log);
  jvmtiEnv* jvmti = environment_of(vm);
  if (jvmti == nullptr) return JNI_ERR;
  auto* agent = new Agent(jvmti, std::move(parsed.options));
  if (!agent->add_capabilities() || set_callbacks(jvmti, agent) != JVMTI_ERROR_NONE ||
      !agent->enable({JVMTI_EVENT_VM_DEATH})) {
    log_error("the VM refused what the agent needs");
    return JNI_ERR;
  }
  g_agent = agent;
  agent->go_live(static_cast<JNIEnv*>(jni), /*late=*/true);
  return JNI_OK;
}

jint Agent::reload(JNIEnv* jni, const Options& options) {
  for (const std::string& name : options.given) {
    if (!is_tracking_option(name) && name != "name") {
      log_error(
          "the agent is loaded already: a second load can only change track, engine, "
          "interval, records, depth, dump, every and name, not {}",
          name);
      return JNI_ERR;
    }
  }
  if (!options.name.empty()) {
    handlers_->app().rename(options.name);
    service_->rename_app(options.name);
  }
  options_.take_tracking_from(options);
  apply_tracking_options(jni, options);
  return JNI_OK;
}

void Agent::unload() {}

bool Agent::add_capabilities() {
  jvmtiCapabilities wanted{};
  wanted.can_tag_objects = 1;
  wanted.can_get_source_file_name = 1;
  wanted.can_get_line_numbers = 1;
  // Asked for, but not used before tracking starts: CDS and the AOT cache stay on.
  wanted.can_retransform_classes = 1;
  wanted.can_redefine_classes = 1;
  wanted.can_generate_all_class_hook_events = 1;
  wanted.can_get_bytecodes = 1;
  wanted.can_get_constant_pool = 1;
  wanted.can_generate_sampled_object_alloc_events = 1;
  wanted.can_generate_resource_exhaustion_heap_events = 1;
  const jvmtiError error = jvmti_->AddCapabilities(&wanted);
  if (error != JVMTI_ERROR_NONE) log_error("AddCapabilities: {}", jvmti_error_name(error));
  return error == JVMTI_ERROR_NONE;
}

bool Agent::enable(std::initializer_list<jvmtiEvent> events) {
  for (const jvmtiEvent event : events) {
    const jvmtiError error = jvmti_->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr);
    if (error != JVMTI_ERROR_NONE) {
      log_error("enabling event {}: {}", static_cast<int>(event), jvmti_error_name(error));
      return false;
    }
  }
  return true;
}

void Agent::vm_init(JNIEnv* jni) {
  go_live(jni, /*late=*/false);
  wait_for_server();
  if (tracking_) tracking_->arm_current_thread(jni);
}

void Agent::go_live(JNIEnv* jni, bool late) {
  warn_of_unserved(options_);
  facts_ = read_vm_facts(jvmti_);
  if (!options_.name.empty()) facts_.app = options_.name;
  tracking_ = Tracking::create(jvmti_, jni, facts_);
  service_ = std::make_unique<Service>(jvmti_);
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  start_native_sampling(vm, jni);
  handlers_ = std::make_unique<ChunkHandlers>(jvmti_, vm, *service_, facts_, tracking_.get(),
                                              static_cast<std::uint8_t>(options_.unit),
                                              native_sampling_.get());
  client_api_ = std::make_unique<ClientApi>(jvmti_, *service_, *handlers_);
  for (const jvmtiEvent event : kThreadEvents) enable({event});
  // Before a server can ask; a late attach finds a program that is past waiting.
  if (options_.suspend && !late) handlers_->app().expect_hello();
  service_->open(jni, options_, facts_, client_api_.get());
  client_api_->open(jni, late);
  apply_tracking_options(jni, options_);
}

void Agent::start_native_sampling(JavaVM* vm, JNIEnv* jni) {
  if (options_.native_bytes <= 0) return;
  native_sampling_ =
      NativeSampling::start(jvmti_, vm, jni, static_cast<std::uint64_t>(options_.native_bytes));
  if (!native_sampling_) return;
  LibraryWatch& watch = native_sampling_->watch();
  std::thread thread = start_native_thread("ddm-native", [&watch] { watch.run(); });
  if (thread.joinable()) thread.detach();
}

void Agent::wait_for_server() {
  if (!options_.suspend) return;
  if (service_->server() == nullptr) {
    log_warn("suspend=y has no effect without a port");
    return;
  }
  handlers_->app().wait_for_hello();
}

void Agent::apply_tracking_options(JNIEnv* jni, const Options& options) {
  if (!options.dumps.empty() || options.dump_none) {
    const std::lock_guard lock(report_mutex_);
    options_.dump_none = options.dump_none;
    report_files_ = std::make_unique<ReportFiles>(options.dumps, facts_.pid, load_time_);
    report_files_->check();
  }
  const bool reports = report_files_ && report_files_->any();
  if (reports) {
    start_reporter(jni);
    keep_jvmti_log_off_stdout(jni);
    enable({JVMTI_EVENT_RESOURCE_EXHAUSTED});
    if (options.every_seconds > 0 && reporter_) {
      reporter_->every(std::chrono::seconds(options.every_seconds),
                       [this](JNIEnv* on_reporter) { write_reports(on_reporter, "every", false); });
    }
  } else if (options.every_seconds > 0) {
    log_warn("every={} has no effect without dump=PATH", options.every_seconds);
  }
  if (!tracking_) return;
  std::string error;
  if (options.track == false) error = tracking_->stop(jni);
  if (!tracking_->use(tracking_options(options_))) {
    log_warn(
        "tracking goes on as it is; the options given hold from the next start on "
        "(track=n, then track=y)");
  }
  if (error.empty() && options.track_from_start()) {
    error = tracking_->start(jni);
  }
  if (!error.empty()) log_error("allocation tracking: {}", error);
}

void Agent::start_reporter(JNIEnv* jni) {
  if (reporter_) return;
  auto reporter = std::make_unique<AgentThread>(jvmti_, "ddmagent-reports");
  const std::string error = reporter->start(jni);
  if (!error.empty()) {
    log_error("starting the agent's thread: {}", error);
    return;
  }
  reporter_ = std::move(reporter);
}

void Agent::write_reports(JNIEnv* jni, const char* reason, bool oom) {
  if (!tracking_ || !tracking_->has_records()) return;
  const std::lock_guard lock(report_mutex_);
  if (oom) {
    if (!oom_report_due_.exchange(false)) return;
  } else if (dying_ && std::string_view(reason) != "exit") {
    return;  // the last word is the exit's
  }
  const ReportData data = tracking_->report(jni, reason);
  if (report_files_ && report_files_->any()) {
    report_files_->write(data, oom);
  } else if (!options_.dump_none && tracking_->on()) {
    write_stderr(summary_report(data));
  }
}

void Agent::resource_exhausted(jint flags) {
  // Threads running out is no allocation story, and Java's heap is the one that we can tell of.
  if ((flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) == 0 || oom_seen_.exchange(true)) return;
  oom_report_due_ = true;
  if (reporter_) {
    reporter_->post([this](JNIEnv* jni) { write_reports(jni, "OutOfMemoryError", true); });
  }
}

void Agent::vm_death(JNIEnv* jni) {
  dying_ = true;
  if (handlers_) handlers_->close();
  if (client_api_) client_api_->close();
  if (service_) service_->close();
  if (handlers_) handlers_->wait();  // whoever sends a map waits for a peer no more
  if (reporter_) reporter_->stop(kReportPatience);
  if (oom_report_due_) write_reports(jni, "OutOfMemoryError", true);
  write_reports(jni, "exit", false);
  if (tracking_) tracking_->close();
}

}  // namespace ddm

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  return ddm::Agent::load(vm, options);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void*) {
  return ddm::Agent::attach(vm, options);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM*) { ddm::Agent::unload(); }
}
