#include "agent.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <utility>

#include "callbacks.h"
#include "handlers/native_thread.h"
#include "handlers/program_exit.h"
#include "hprof/loaded_name.h"
#include "hprof/monitor_dump.h"
#include "jvm/capabilities.h"
#include "jvm/exit_limits.h"
#include "jvm/jdwp_agent.h"
#include "jvm/jvmti_error.h"
#include "jvm/vm_library.h"
#include "jvm/vm_log.h"
#include "log.h"
#include "records/report_time.h"
#include "sockets/discovery.h"

namespace ddm {
namespace {

// Events whose callbacks cost nothing until they happen; on as long as the agent is loaded.
constexpr jvmtiEvent kThreadEvents[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};

Agent* g_agent = nullptr;

thread_local bool t_writes_reports = false;

jvmtiEnv* environment_of(JavaVM* vm) {
  void* jvmti = nullptr;
  if (vm->GetEnv(&jvmti, JVMTI_VERSION_11) != JNI_OK) {
    log_error("this VM has no JVMTI 11; HotSpot 17 or newer is needed");
    return nullptr;
  }
  return static_cast<jvmtiEnv*>(jvmti);
}

std::string help_of(const AgentOptions& given) {
  return given.hprof ? hprof_help_text() : help_text();
}

TrackingOptions tracking_options(const Options& options) {
  return {options.engine,      options.is_given("engine"),
          options.interval,    options.records,
          options.depth,       options.sites,
          options.sites_depth, options.live,
          options.walker,      options.threads_apart};
}

}  // namespace

Agent::Agent(jvmtiEnv* jvmti, AgentOptions options)
    : jvmti_(jvmti),
      options_(std::move(options.options)),
      hprof_options_(std::move(options.hprof)),
      load_time_(std::time(nullptr)),
      sampler_thread_(jvmti),
      sampler_(jvmti, sampler_thread_) {}

// None: they are wrong, and that has been said.
std::optional<AgentOptions> Agent::read_options(const char* text) {
  const std::string_view given = text != nullptr ? text : "";
  // Once the agent is there, its own options change it, whatever it was loaded as.
  if (g_agent == nullptr && loaded_as_hprof()) {
    const char* more = std::getenv("_JAVA_HPROF_OPTIONS");
    ParsedHprofOptions parsed = parse_hprof_options(given, more != nullptr ? more : "");
    if (parsed.error.empty()) return AgentOptions{agent_options(parsed.options), parsed.options};
    log_error("hprof: {}", parsed.error);
    return std::nullopt;
  }
  ParsedOptions parsed = parse_options(given, g_agent != nullptr ? g_agent->options_ : Options());
  if (parsed.error.empty()) return AgentOptions{std::move(parsed.options), std::nullopt};
  log_error("{}", parsed.error);
  return std::nullopt;
}

jint Agent::load(JavaVM* vm, const char* option_text) {
  auto given = read_options(option_text);
  if (!given) return JNI_ERR;
  if (given->options.help) {
    std::fputs(help_of(*given).c_str(), stdout);
    std::exit(std::fflush(stdout) == 0 ? 0 : 1);
  }
  if (g_agent != nullptr) {
    log_error("the agent is given twice on the command line");
    return JNI_ERR;
  }
  set_log_level(given->options.log);
  vm_library::find(vm);
  jvmtiEnv* jvmti = environment_of(vm);
  if (jvmti == nullptr) return JNI_ERR;

  take_capabilities(jvmti);
  if (given->hprof && given->hprof->monitor) take_monitor_capabilities(jvmti);
  auto* agent = new Agent(jvmti, std::move(*given));
  if (set_callbacks(jvmti, agent) != JVMTI_ERROR_NONE ||
      !agent->enable({JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH})) {
    log_error("the VM refused what the agent needs");
    return JNI_ERR;
  }
  g_agent = agent;
  std::atexit([] { g_agent->process_exits(); });
  return JNI_OK;
}

jint Agent::attach(JavaVM* vm, const char* option_text) {
  auto given = read_options(option_text);
  if (!given) return JNI_ERR;
  if (given->options.help) {
    write_stderr(help_of(*given));  // the program's stdout is not ours, and it goes on
    return JNI_OK;
  }
  void* jni = nullptr;
  if (vm->GetEnv(&jni, JNI_VERSION_10) != JNI_OK) {
    log_error("attach: the calling thread has no JNI environment");
    return JNI_ERR;
  }
  if (g_agent != nullptr) return g_agent->reload(static_cast<JNIEnv*>(jni), given->options);

  set_log_level(given->options.log);
  vm_library::find(vm);
  jvmtiEnv* jvmti = environment_of(vm);
  if (jvmti == nullptr) return JNI_ERR;
  take_capabilities(jvmti);
  auto* agent = new Agent(jvmti, std::move(*given));
  if (set_callbacks(jvmti, agent) != JVMTI_ERROR_NONE || !agent->enable({JVMTI_EVENT_VM_DEATH})) {
    log_error("the VM refused what the agent needs");
    return JNI_ERR;
  }
  g_agent = agent;
  std::atexit([] { g_agent->process_exits(); });
  const LoggedHere said;
  agent->go_live(static_cast<JNIEnv*>(jni), /*late=*/true);
  agent->handlers_->app().loaded(said.lines());
  return JNI_OK;
}

jint Agent::reload(JNIEnv* jni, const Options& options) {
  if (const std::string error = reload_error(options); !error.empty()) {
    log_error("{}", error);
    return JNI_ERR;
  }
  const LoggedHere said;
  if (!options.name.empty()) {
    handlers_->app().rename(options.name);
    service_->rename_app(options.name);
  }
  options_.take_tracking_from(options);
  apply_tracking_options(jni, options);
  handlers_->app().loaded(said.lines());
  return JNI_OK;
}

void Agent::unload() {}

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
}

void Agent::go_live(JNIEnv* jni, bool late) {
  facts_ = read_vm_facts(jvmti_);
  facts_.process_start = process_start_time(getpid()).value_or(0);
  if (!options_.name.empty()) facts_.app = options_.name;
  tracking_ = Tracking::create(jvmti_, jni, facts_);
  method_tracing_ =
      std::make_unique<MethodTracing>(jvmti_, tracking_ ? &tracking_->names() : nullptr);
  if (tracking_) {
    tracking_->include(monitors_);
    tracking_->include(*method_tracing_);
    tracking_->include(sampler_);
  }
  hit_budget_ = std::make_unique<HitBudget>(
      jvmti_, sinks_,
      HitBudget::Sources{[this] { return sampler_thread_.cost_ns(); },
                         [this](double percent) { sampler_thread_.leave_to_probes(percent); },
                         options_.budget});
  probes_ = std::make_unique<Probes>(jvmti_, *hit_budget_, [this](JNIEnv* on_probes) {
    return tracking_ ? std::optional(tracking_->naming(on_probes)) : std::nullopt;
  });
  if (tracking_) tracking_->include(*probes_);
  if (tracking_ && options_.ring) {
    ring_keeper_ = RingKeeper::open(*options_.ring, facts_.pid, load_time_, *tracking_,
                                    tracking_options(options_));
  }
  service_ = std::make_unique<Service>(jvmti_);
  if (tracking_) {
    tracking_->work_in([this](AgentThread::Task task) { service_->slow().post(std::move(task)); });
  }
  JavaVM* vm = nullptr;
  jni->GetJavaVM(&vm);
  if (has_jdwp_agent()) service_->expect_debuggers();
  start_native_sampling(vm, jni);
  handlers_ = std::make_unique<ChunkHandlers>(
      jvmti_, vm, *service_, facts_, tracking_.get(), static_cast<std::uint8_t>(options_.unit),
      native_sampling_.get(), *method_tracing_, options_.methods, *probes_, sampler_);
  client_api_ = std::make_unique<ClientApi>(jvmti_, *service_, *handlers_);
  sampler_thread_.set_budget(options_.budget);
  dyper_ = std::make_unique<Dyper>(jvmti_, tracking_.get(), *handlers_, sampler_thread_,
                                   *hit_budget_, options_.dypatch_modes);
  dyper_->add_to(service_->dispatcher(), handlers_->context());
  if (hprof_options_) {
    hprof_ = std::make_unique<HprofSession>(jvmti_, jni, *hprof_options_, tracking_.get());
    enable({JVMTI_EVENT_DATA_DUMP_REQUEST});
  }
  for (const jvmtiEvent event : kThreadEvents) enable({event});
  // Before a server can ask; a late attach finds a program that is past waiting.
  if (options_.suspend && !late) handlers_->app().expect_hello();
  const std::string dyper = dyper_->open(jni, options_);
  service_->open(jni, options_, facts_, client_api_.get(), dyper);
  client_api_->open(jni, late);
  prepare_hooks(jni);
  if (hprof_) {
    hprof_->open(jni, facts_,
                 {[vm] { exit_program(vm, 0); },
                  [this](JNIEnv* on_thread, bool on) { return sample_cpu(on_thread, on); }});
  }
  apply_tracking_options(jni, options_);
}

void Agent::prepare_hooks(JNIEnv* jni) {
  if (!options_.hooks_at_start || !tracking_) return;
  const std::string error = tracking_->prepare_hooks(jni);
  if (!error.empty()) log_error("hooks=start: {}", error);
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
    use_heap_dumps(jni, report_files_->heap_dumps());
  }
  const bool reports = (report_files_ && report_files_->any()) || heap_dumps_;
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
  if (!tracking_->use(jni, tracking_options(options_))) {
    log_warn(
        "tracking goes on as it is; the options given hold from the next start on "
        "(track=n, then track=y)");
  }
  apply_time_options(jni, options);
  if (error.empty() && options.track_from_start()) {
    service_->start_lanes(jni);  // for what tracking has to do in the background
    error = tracking_->start(jni);
  }
  if (!error.empty()) log_error("allocation tracking: {}", error);
  // Now, and not when the run is over.
  if (heap_dumps_ && !options.dumps.empty() && !tracking_->follows_live()) {
    log_warn("dump={}: it will be without the stacks of allocations: {}",
             report_files_->heap_dumps().front(), live_is_off(tracking_.get()));
  }
}

// One that is being written has the lock.
void Agent::use_heap_dumps(JNIEnv* jni, std::vector<std::string> paths) {
  heap_dumps_.reset();
  if (paths.empty()) return;
  heap_dumps_ = std::make_unique<HeapDumpReports>(jvmti_, jni, std::move(paths), tracking_.get());
}

void Agent::apply_time_options(JNIEnv* jni, const Options& options) {
  if (options_.times()) timed_ = true;
  if (options.is_given("cpu") || options.is_given("methods")) {
    const std::string failed = options_.cpu == CpuMode::kTimes
                                   ? method_tracing_->start_times(jni, options_.methods)
                                   : method_tracing_->stop_times(jni);
    if (!failed.empty()) log_error("cpu=times: {}", failed);
  }
  std::string error = options_.monitor ? monitors_.start(jvmti_, jni, tracking_->naming(jni))
                                       : monitors_.stop(jvmti_);
  if (!error.empty()) log_error("monitor={}: {}", options_.monitor ? "y" : "n", error);
  sampler_thread_.set_budget(options_.budget);
  error = sample_cpu(jni, options_.cpu == CpuMode::kSamples);
  if (!error.empty()) log_error("cpu=samples: {}", error);
}

std::string Agent::sample_cpu(JNIEnv* jni, bool on) {
  if (on && !tracking_) return "this VM lacks what stacks need";
  if (on) {
    return sampler_.start(jni, tracking_->naming(jni), {options_.interval_ms, options_.delay});
  }
  sampler_.stop();
  return "";
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
  const std::lock_guard lock(report_mutex_);
  t_writes_reports = true;
  write_reports_of(jni, reason, oom);
  t_writes_reports = false;
}

void Agent::write_reports_of(JNIEnv* jni, const char* reason, bool oom) {
  if (oom) {
    if (!oom_report_due_.exchange(false)) return;
  } else if (dying_ && std::string_view(reason) != "exit") {
    return;  // the last word is the exit's
  }
  const std::optional<ReportData> data = take_records(jni, reason);
  // At an OutOfMemoryError the heap comes first: a thread waits for it.
  if (heap_dumps_ && oom) heap_dumps_->write(jni, oom, dying_);
  if (data) write_records(*data, oom);
  // The whole heap, once: not every so often.
  if (heap_dumps_ && !oom && std::string_view(reason) != "every") {
    heap_dumps_->write(jni, oom, dying_);
  }
}

std::optional<ReportData> Agent::take_records(JNIEnv* jni, const char* reason) {
  if (!tracking_ || (!tracking_->has_records() && !timed_)) return std::nullopt;
  const bool into_files = (report_files_ && report_files_->any()) || !at_end_.empty();
  if (!into_files && (options_.dump_none || heap_dumps_)) return std::nullopt;
  std::optional<ReportData> data =
      jni != nullptr ? tracking_->report(jni, reason) : tracking_->report_without_vm(reason);
  if (!data) log_warn("no report at the end: tracking was just being switched");
  return data;
}

void Agent::write_records(const ReportData& data, bool oom) {
  for (const std::string& path : at_end_) {
    const auto format = report_format_of(path);  // who has taken the path has looked
    const std::string error = format ? write_report_file(path, *format, data) : "";
    if (!error.empty()) log_error("{}", error);
  }
  if (report_files_ && report_files_->any()) return report_files_->write(data, oom);
  if (options_.dump_none || heap_dumps_) return;
  if (tracking_->on()) write_stderr(summary_report(data));
  if (timed_) write_stderr(time_summary(data));
}

void Agent::resource_exhausted(jint flags) {
  // Threads running out is no allocation story, and Java's heap is the one that we can tell of.
  if ((flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) == 0 || oom_seen_.exchange(true)) return;
  oom_report_due_ = true;
  if (!reporter_) return;
  const bool posted =
      reporter_->post([this](JNIEnv* jni) { write_reports(jni, "OutOfMemoryError", true); });
  // What has filled the heap may be held by this thread's frames alone.
  if (posted && heap_dumps_ && !t_writes_reports) heap_dumps_->await_oom();
}

// What is being written is finished first. How long that and all else here may take:
// jvm/exit_limits.h.
void Agent::last_reports(JNIEnv* jni) {
  bool told = !reporter_ || reporter_->stop(exit_limits::kReportLimit);
  const auto limit = std::chrono::steady_clock::now() + exit_limits::kHeapDumpLimit;
  while (!told && heap_dumps_ && heap_dumps_->is_writing() &&
         std::chrono::steady_clock::now() < limit) {
    told = reporter_->stop(exit_limits::kReportLimit);
  }
  if (told) {
    if (oom_report_due_) write_reports(jni, "OutOfMemoryError", true);
    if (handlers_) at_end_ = handlers_->reports_at_end();
    write_reports(jni, "exit", false);
  } else {
    log_error("the last report is left out: another one is still being written");
  }
  if (heap_dumps_) heap_dumps_->close();
  if (hprof_) hprof_->last_dump(jni);
  // An end that the VM has not told of is one that a ring file is for.
  if (ring_keeper_) ring_keeper_->close(/*remove=*/told && jni != nullptr);
  if (tracking_) tracking_->close();
}

// The process ends and the VM has said nothing: a native part has called exit(), or the heap is so
// full that the launcher's DestroyJavaVM cannot attach. The VM's other threads run on meanwhile.
void Agent::process_exits() {
  if (getpid() != facts_.pid) return;  // a child without an exec() of its own has nothing to say
  if (dying_.exchange(true)) return;
  try {
    last_reports(nullptr);
  } catch (const std::exception& failure) {
    log_error("at the end of the process: {}", failure.what());
  }
}

void Agent::vm_death(JNIEnv* jni) {
  dying_ = true;
  sampler_thread_.close();
  monitors_.close();
  if (probes_) probes_->program_ends();
  if (hit_budget_) hit_budget_->close();
  if (handlers_) handlers_->close();
  if (client_api_) client_api_->close();
  if (dyper_) dyper_->close();
  if (service_) service_->close();
  if (handlers_) handlers_->wait();  // whoever sends a map waits for a peer no more
  last_reports(jni);
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
