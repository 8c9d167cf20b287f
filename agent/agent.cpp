#include "agent.h"

#include <unistd.h>

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
#include "jvm/jdwp_agent.h"
#include "jvm/jvmti_error.h"
#include "jvm/vm_library.h"
#include "jvm/vm_log.h"
#include "log.h"
#include "sockets/discovery.h"

namespace ddm {
namespace {

// Events whose callbacks cost nothing until they happen; on as long as the agent is loaded.
constexpr jvmtiEvent kThreadEvents[] = {JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END};

Agent* g_agent = nullptr;

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
  reports_ = std::make_unique<RunReports>(jvmti_, facts_.pid, load_time_, tracking_.get());
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
  if (reports_->use(jni, options)) {
    keep_jvmti_log_off_stdout(jni);
    enable({JVMTI_EVENT_RESOURCE_EXHAUSTED});
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
  if (!options.dumps.empty()) reports_->tell_what_lacks();
}

void Agent::apply_time_options(JNIEnv* jni, const Options& options) {
  if (options_.times()) reports_->has_times();
  if (options.is_given("cpu") || options.is_given("methods")) {
    const std::string failed = options_.cpu_times
                                   ? method_tracing_->start_times(jni, options_.methods)
                                   : method_tracing_->stop_times(jni);
    if (!failed.empty()) log_error("cpu=times: {}", failed);
    if (options.is_given("methods") && !options_.cpu_times) {
      log_warn(
          "methods={} times nothing without cpu=times; a DDM server that traces methods and does "
          "not say which gets those",
          options_.methods);
    }
  }
  std::string error = options_.monitor ? monitors_.start(jvmti_, jni, tracking_->naming(jni))
                                       : monitors_.stop(jvmti_);
  if (!error.empty()) log_error("monitor={}: {}", options_.monitor ? "y" : "n", error);
  sampler_thread_.set_budget(options_.budget);
  error = sample_cpu(jni, options_.cpu_samples);
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

// How long all this may take: jvm/exit_limits.h.
void Agent::last_reports(JNIEnv* jni) {
  const bool told = reports_->write_last(
      jni, handlers_ ? handlers_->reports_at_end() : std::vector<std::string>());
  if (hprof_) hprof_->last_dump(jni);
  if (method_tracing_ && method_tracing_->times_nothing()) {
    log_warn("cpu=times: no class with a method of methods={} was loaded", options_.methods);
  }
  // An end that the VM has not told of is one that a ring file is for.
  if (ring_keeper_) ring_keeper_->close(/*remove=*/told && jni != nullptr);
  if (tracking_) tracking_->close();
}

// The process ends and the VM has said nothing: a native part has called exit(), or the heap is so
// full that the launcher's DestroyJavaVM cannot attach. The VM's other threads run on meanwhile.
void Agent::process_exits() {
  if (getpid() != facts_.pid) return;  // a child without an exec() of its own has nothing to say
  if (!reports_ || !reports_->begin_end()) return;
  try {
    last_reports(nullptr);
  } catch (const std::exception& failure) {
    log_error("at the end of the process: {}", failure.what());
  }
}

void Agent::vm_death(JNIEnv* jni) {
  if (!reports_) return;  // it has never lived
  reports_->begin_end();
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
