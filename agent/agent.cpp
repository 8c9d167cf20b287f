#include "agent.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

#include "adapters/client_api/client_api.h"
#include "adapters/dyper/dyper.h"
#include "adapters/hprof/hprof_session.h"
#include "adapters/hprof/monitor_dump.h"
#include "adapters/instrumenter/instrumenter.h"
#include "adapters/test_kit/test_kit.h"
#include "allocations/allocations_feature.h"
#include "core/exit_limits.h"
#include "core/log.h"
#include "core/standard_descriptors.h"
#include "heap/heap_handlers.h"
#include "native/native_feature.h"
#include "probes/probes_feature.h"
#include "program/app_handlers.h"
#include "program/option_loans.h"
#include "program/program_exit.h"
#include "reports/reports_feature.h"
#include "threads/thread_handlers.h"
#include "time/time_feature.h"
#include "vm/agent_thread.h"
#include "vm/capabilities.h"
#include "vm/halt_watch.h"
#include "vm/jdwp_agent.h"
#include "vm/jdwp_suspension.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/vm_library.h"
#include "wire/events/agent_events.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

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

}  // namespace

// All features, in the order in which servers get events of one collection, options are applied and
// the end is announced; a feature that uses another one follows it.
void Agent::make_features(JNIEnv* jni) {
  make_services(jni);
  auto events = std::make_unique<AgentEvents>(context_);
  auto threads = std::make_unique<ThreadHandlers>(context_, events->pulse());
  auto allocations = std::make_unique<AllocationsFeature>(
      context_, jni, *stacks_, *reports_, facts_, load_time_, options_.allocations,
      [ids = threads.get()](JNIEnv* on_thread, const auto& java_ids) {
        return ids->ids(on_thread, java_ids);
      });
  Tracking* const tracking = allocations->tracking();

  add(std::make_unique<ReportsFeature>(
      context_, facts_.pid, load_time_, options_.reports, *reports_, allocations->followed(),
      [this] { return std::make_unique<HeapDumper>(jvmti_); },
      [this] { return options_.time.any(); }));
  auto& time = add(std::make_unique<TimeFeature>(context_, options_.time, *stacks_, *reports_));
  auto& probes = add(std::make_unique<ProbesFeature>(
      context_,
      HitBudget::Sources{
          [&time] { return time.sampler_thread().cost_ns(); },
          [&time](double percent) { time.sampler_thread().set_probes_percent(percent); },
          [&time] { return time.sampler_thread().budget(); }},
      *stacks_, *reports_));
  add(std::make_unique<AppHandlers>(context_, facts_, options_.service));
  add(std::move(threads));
  auto& heap = add(
      std::make_unique<HeapHandlers>(context_, *events, options_.heap, allocations->followed()));
  add(std::make_unique<NativeFeature>(context_, *events, options_.native));
  add(std::move(events));
  add(std::make_unique<ClientApi>(jvmti_, service_));
  add(std::make_unique<TestKit>(context_, tracking));
  add(std::make_unique<Instrumenter>(context_, tracking));
  add(std::make_unique<Dyper>(context_, options_.dyper, options_.service.access_any, *stacks_,
                              *reports_, heap.dumper(), time.sampler_thread(), probes.budget()));
  if (hprof_options_) {
    add(std::make_unique<HprofSession>(
        jvmti_, jni, facts_, *hprof_options_, tracking, *stacks_, *reports_,
        HprofSession::Controls{
            [vm = context_.vm] { exit_program(vm, 0); },
            [&time](JNIEnv* on_thread, bool on) { return time.sample_cpu(on_thread, on); }}));
  }
  add(std::move(allocations));
  add(std::make_unique<OptionLoans>(
      context_,
      [this](JNIEnv* on_thread, const std::string& options) {
        return load_more(on_thread, options);
      },
      [this](const std::string& option) {
        const std::lock_guard lock(loading_);
        return options_.allocations.present(option);
      },
      [this](const GivenOptions& undone) {
        for (const auto& feature : features_) {
          feature->loan_ended(undone);
        }
      }));
}

// Services that several features share.
void Agent::make_services(JNIEnv* jni) {
  LocalRef<jobject> current(jni, nullptr);
  jvmti_->GetCurrentThread(current.out());
  stacks_ = std::make_unique<Stacks>(jvmti_, jni, current.get());
  stacks_->sweep_names_in(
      [this](AgentThread::Task task) { service_.slow().post(std::move(task)); });
  reports_ = std::make_unique<ReportAssembly>(facts_, *stacks_);
}

template <typename Made>
Made& Agent::add(std::unique_ptr<Made> feature) {
  Made& made = *feature;
  features_.push_back(std::move(feature));
  return made;
}

Agent::Agent(JavaVM* vm, jvmtiEnv* jvmti, AgentOptions options)
    : jvmti_(jvmti),
      options_(std::move(options.options)),
      hprof_options_(std::move(options.hprof)),
      load_time_(std::time(nullptr)),
      service_(jvmti),
      context_{jvmti, vm, service_} {}

// nullopt: they are invalid, which was logged.
std::optional<AgentOptions> Agent::read_options(const char* text, When when) {
  const std::string_view given = text != nullptr ? text : "";
  const bool first = g_agent == nullptr;
  // Once the VM is live, the agent's own options apply, whatever name it was loaded by.
  if (loaded_as_hprof() && (first || when == When::kAtStart)) {
    const char* more = std::getenv("_JAVA_HPROF_OPTIONS");
    const std::string all = first ? std::string(given) : g_agent->text_ + std::string(given);
    ParsedHprofOptions parsed = parse_hprof_options(all, more != nullptr ? more : "");
    if (parsed.error.empty()) return AgentOptions{agent_options(parsed.options), parsed.options};
    log_error("hprof: {}", parsed.error);
    return std::nullopt;
  }
  ParsedOptions parsed = first                    ? parse_options(given)
                         : when == When::kAtStart ? parse_further_options(given, g_agent->options_)
                                                  : parse_options(given, g_agent->options_);
  if (parsed.error.empty()) return AgentOptions{std::move(parsed.options), std::nullopt};
  log_error("{}", parsed.error);
  return std::nullopt;
}

// Null: the VM refuses a required capability or event, which was logged.
Agent* Agent::create(JavaVM* vm, AgentOptions options, Life life,
                     std::initializer_list<jvmtiEvent> events) {
  set_log_level(options.options.log);
  fill_standard_descriptors();
  vm_library::find(vm);
  jvmtiEnv* jvmti = environment_of(vm);
  if (jvmti == nullptr) return nullptr;
  add_capabilities(jvmti);
  auto* agent = new Agent(vm, jvmti, std::move(options));
  agent->life_ = life;
  for (const jvmtiEvent event : {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
                                 JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END}) {
    listen_to(event, *agent);
  }
  if (set_event_callbacks(jvmti) != JVMTI_ERROR_NONE || !agent->enable(events)) {
    log_error("the VM refused what the agent needs");
    return nullptr;
  }
  g_agent = agent;
  std::atexit([] { g_agent->process_exits(); });
  return agent;
}

jint Agent::load(JavaVM* vm, const char* option_text) {
  auto given = read_options(option_text, When::kAtStart);
  if (!given) return JNI_ERR;
  if (given->options.help) {
    std::fputs(help_of(*given).c_str(), stdout);
    std::exit(std::fflush(stdout) == 0 ? 0 : 1);
  }
  const bool dumps_monitors = given->hprof && given->hprof->monitor;
  Agent* agent = g_agent;
  if (agent == nullptr) {
    agent =
        create(vm, std::move(*given), Life::kLoaded, {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH});
    if (agent == nullptr) return JNI_ERR;
  } else {  // given twice, as in JAVA_TOOL_OPTIONS and on the command line
    agent->options_ = std::move(given->options);
    agent->hprof_options_ = std::move(given->hprof);
    set_log_level(agent->options_.log);
  }
  agent->text_ += fmt::format("{},", option_text != nullptr ? option_text : "");
  if (dumps_monitors) add_monitor_capabilities(agent->jvmti_);
  return JNI_OK;
}

jint Agent::attach(JavaVM* vm, const char* option_text) {
  const std::unique_lock lock =
      g_agent != nullptr ? std::unique_lock(g_agent->loading_) : std::unique_lock<std::mutex>();
  // The reason is also kept for the attaching tool where there is an agent to ask.
  const LoggedHere said;
  auto given = read_options(option_text, When::kLive);
  if (!given) {
    if (g_agent != nullptr) g_agent->tell_loaded(said);
    return JNI_ERR;
  }
  if (given->options.help) {
    write_stderr(help_of(*given));  // stdout is the program's, which continues
    return JNI_OK;
  }
  void* env = nullptr;
  if (vm->GetEnv(&env, JNI_VERSION_10) != JNI_OK) {
    log_error("attach: the calling thread has no JNI environment");
    return JNI_ERR;
  }
  const auto jni = static_cast<JNIEnv*>(env);
  if (g_agent != nullptr) {
    const Life life = g_agent->life_;
    if (life == Life::kOpen) return g_agent->reload(jni, std::move(given->options), said);
    log_error("the program is just {}", life == Life::kEnded ? "ending" : "starting: attach again");
    return JNI_ERR;
  }

  Agent* agent = create(vm, std::move(*given), Life::kGoingLive, {JVMTI_EVENT_VM_DEATH});
  if (agent == nullptr) return JNI_ERR;
  agent->go_live(jni, /*late=*/true);
  agent->tell_loaded(said);
  return JNI_OK;
}

// A further load for a server: the error, or what was logged.
Result<std::string> Agent::load_more(JNIEnv* jni, const std::string& option_text) {
  const std::lock_guard lock(loading_);
  ParsedOptions parsed = parse_options(option_text, options_);
  if (parsed.error.empty()) parsed.error = reload_error(parsed.options);
  if (!parsed.error.empty()) return Error{parsed.error};
  const LoggedHere said;
  options_ = std::move(parsed.options);
  options_.given.lent = true;
  use_options(jni);
  return fmt::format("{}", fmt::join(said.lines(), "\n"));
}

jint Agent::reload(JNIEnv* jni, Options options, const LoggedHere& said) {
  const std::string error = reload_error(options);
  if (!error.empty()) {
    log_error("{}", error);
  } else {
    options_ = std::move(options);
    use_options(jni);
  }
  tell_loaded(said);
  return error.empty() ? JNI_OK : JNI_ERR;
}

void Agent::tell_loaded(const LoggedHere& said) {
  for (const auto& feature : features_) feature->loaded(said.lines());
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
  life_ = Life::kGoingLive;
  go_live(jni, /*late=*/false);
  for (const auto& feature : features_) feature->before_main();
}

void Agent::go_live(JNIEnv* jni, bool late) {
  // A server may ask for a further load as soon as the socket is open.
  const std::lock_guard lock(loading_);
  facts_ = read_vm_facts(jvmti_);
  facts_.process_start = process_start_time(getpid()).value_or(0);
  if (!options_.service.name.empty()) facts_.app = options_.service.name;
  const bool has_jdwp = !jdwp_library().empty();
  if (has_jdwp) {
    if (!jdwp_suspension::exempt_own_threads(jvmti_, jni)) {
      log_warn("while a debugger holds this program, requests are refused");
    }
    service_.expect_debuggers();
  }
  if (life_ == Life::kEnded) return;
  make_features(jni);
  for (const auto& feature : features_) feature->add_chunks(service_.dispatcher());
  enable({JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END});
  if (vm_feature_release(jvmti_) >= kVmDeathIsLast) {
    watch_halt(jvmti_, jni, [this] {
      for (const auto& feature : features_) feature->halting();
    });
  }
  for (const auto& feature : features_) feature->vm_live(jni, late);
  if (has_jdwp) AgentThread::start_all_for_good(jni);
  service_.open(jni, options_.service, facts_, this);
  Life expected = Life::kGoingLive;
  if (!life_.compare_exchange_strong(expected, Life::kOpen)) return end(jni);
  for (const auto& feature : features_) feature->opened(jni, late);
  use_options(jni);
}

void Agent::use_options(JNIEnv* jni) {
  for (const auto& feature : features_) feature->apply_options(jni, options_.given);
  for (const auto& feature : features_) feature->start(jni, options_.given);
  for (const auto& feature : features_) feature->started();
}

void Agent::thread_start(JNIEnv* jni, jthread thread) {
  for (const auto& feature : features_) feature->thread_started(jni, thread);
}

void Agent::thread_end(JNIEnv* jni, jthread thread) {
  for (const auto& feature : features_) feature->thread_ending(jni, thread);
}

void Agent::connected(const SessionPtr& session) {
  for (const auto& feature : features_) feature->session_begun(session);
}

void Agent::disconnected(const SessionPtr& session) {
  for (const auto& feature : features_) feature->session_ended(session);
}

// A feature for which there is no memory must not keep the others from their end.
template <typename End>
void Agent::for_each_at_end(End end) {
  for (const auto& feature : features_) {
    guarded("at the end of the program", [&] { end(*feature); });
  }
}

// Limits of all waits: core/exit_limits.h. What a late attach makes at this moment would outlive the
// program if nobody waited for it; after the limit the loading thread ends it.
void Agent::vm_death(JNIEnv* jni) {
  for (auto left = exit_limits::kLoadLimit; life_ == Life::kGoingLive && left.count() > 0; --left) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const Life life = life_.exchange(Life::kEnded);
  if (life == Life::kOpen || life == Life::kEnded) end(jni);  // kEnded: by process_exits()
}

void Agent::end(JNIEnv* jni) {
  for_each_at_end([](Feature& feature) { feature.end(); });
  service_.close();
  for_each_at_end([](Feature& feature) { feature.end_after_servers(); });
  write_final_reports(jni);
  set_vm_ended();
}

// The process ends without VMDeath: native code has called exit(), or the heap is so full that the
// launcher's DestroyJavaVM cannot attach. The VM's other threads continue meanwhile.
void Agent::process_exits() {
  if (getpid() != facts_.pid) return;  // a forked child without exec() writes no reports
  Life expected = Life::kOpen;
  if (life_.compare_exchange_strong(expected, Life::kEnded)) write_final_reports(nullptr);
}

void Agent::write_final_reports(JNIEnv* jni) {
  bool complete = true;
  for_each_at_end([&](Feature& feature) { complete = feature.write_final_reports(jni, complete); });
}

}  // namespace ddm

extern "C" {

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void*) {
  return ddm::Agent::load(vm, options);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM* vm, char* options, void*) {
  return ddm::Agent::attach(vm, options);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM*) { ddm::jdwp_suspension::restore(); }
}
