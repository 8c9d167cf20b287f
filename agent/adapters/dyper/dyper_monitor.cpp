#include "adapters/dyper/dyper_monitor.h"

#include <unistd.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "adapters/dyper/documents/cpu_agent.h"
#include "adapters/dyper/documents/io_agent.h"
#include "adapters/dyper/documents/threads_agent.h"
#include "adapters/dyper/documents/timing_agent.h"
#include "adapters/dyper/documents/xml_reader.h"
#include "core/clocks.h"
#include "core/random_number.h"
#include "vm/management.h"

namespace ddm {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

double ms_between(Sampler::Clock::time_point from, Sampler::Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

// Always false.
bool no_agent(std::string_view given, DyperErrors& errors) {
  constexpr std::string_view kLeftOut[] = {"STATES", "REACTION", "SOCKETS", "COLLECTIONS",
                                           "EVENTS"};
  const bool known = std::ranges::find(kLeftOut, agent_name(given)) != std::end(kLeftOut);
  fail(errors, "AGENT", given, "the agents are CPU, THREADS, MEMORY, TIMING and IO",
       known ? DyperErrorCode::kUnsupported : DyperErrorCode::kNoAgent);
  return false;
}

// SHOWSTACK: <THREADS TIME><THREAD ID NAME STATE ...><STACK .../>...; innermost frame first.
void write_stacks(JNIEnv* jni, const ThreadSnapshot& snapshot, XmlWriter& xml) {
  std::vector<std::int64_t> ids;
  for (const SeenThread& thread : snapshot.threads) ids.push_back(thread.id);
  std::unordered_map<std::int64_t, management::ThreadInfo> infos;
  for (management::ThreadInfo& info : management::thread_infos(jni, ids)) {
    infos[info.id] = std::move(info);
  }
  xml.open("THREADS").attribute("TIME", snapshot.ms);
  for (const SeenThread& thread : snapshot.threads) {
    // Read a moment after the stack: a thread that has continued since may wait for something else.
    const management::ThreadInfo& info = infos[thread.id];
    xml.open("THREAD").attribute("ID", thread.id).attribute("NAME", thread.name);
    xml.attribute("STATE", state_name(thread.activity));
    xml.attribute("BLOCKCT", info.blocked_count).attribute("BLOCKTIME", info.blocked_ms);
    if (!info.lock.empty() && waits_for_lock(thread.activity)) {
      xml.attribute("LOCK", info.lock).attribute("LOCKOWNER", info.lock_owner);
    }
    xml.attribute("WAITCT", info.waited_count).attribute("WAITTIME", info.waited_ms);
    for (const SeenFrame& frame : thread.frames) {
      xml.open("STACK").attribute("CLASS", frame.class_name).attribute("METHOD", frame.method);
      xml.attribute("LINE", frame.line).attribute("FILE", frame.file).close();
    }
    xml.close();
  }
  xml.close();
}

}  // namespace

std::string agent_name(std::string_view given) {
  constexpr std::string_view kPrefix = "DyperAgent";
  given = given.substr(given.rfind('.') + 1);
  if (given.starts_with(kPrefix)) given.remove_prefix(kPrefix.size());
  return in_capitals(given);
}

DyperMonitor::DyperMonitor(jvmtiEnv* jvmti, SamplerThread& sampler, Stacks& stacks,
                           ReportAssembly& reports, std::string id,
                           std::function<void(const std::string&)> send)
    : jvmti_(jvmti),
      stacks_(stacks),
      sampler_(sampler),
      id_(std::move(id)),
      send_(std::move(send)),
      random_(static_cast<std::mt19937::result_type>(
          random_number().value_or(static_cast<std::uint64_t>(monotonic_ns())))) {
  agents_.push_back(std::make_unique<CpuAgent>());
  agents_.push_back(std::make_unique<ThreadsAgent>());
  auto memory = std::make_unique<MemoryAgent>(reports);
  memory_ = memory.get();
  memory_->active = false;  // reports of MEMORY cost more than those of the other agents
  agents_.push_back(std::move(memory));
  agents_.push_back(std::make_unique<TimingAgent>());
  agents_.push_back(std::make_unique<IoAgent>());
}

bool DyperMonitor::monitors() const {
  const std::lock_guard lock(mutex_);
  return variables_.monitor;
}

ChosenThreads DyperMonitor::chosen_threads() const {
  const std::lock_guard lock(mutex_);
  return choice_.chosen(variables_.thread_default);
}

ThreadCapture* DyperMonitor::thread_capture(JNIEnv* jni) {
  if (!capture_) {
    const auto fields = ThreadFields::find(jvmti_, jni);
    if (fields) capture_.emplace(jvmti_, stacks_.naming(jni), *fields);
  }
  return capture_ ? &*capture_ : nullptr;
}

bool DyperMonitor::wants_snapshots() const {
  return variables_.monitor || variables_.show_stack ||
         (variables_.reporting && variables_.report_ms > 0);
}

void DyperMonitor::apply(JNIEnv* jni, DyperErrors& errors) {
  bool wanted = false, possible = false;
  {
    const std::lock_guard lock(mutex_);
    wanted = wants_snapshots();
    const bool contention = variables_.monitor && variables_.contention;
    if (contention && !contention_before_) {
      contention_before_ = management::contention_timed(jni);
      management::time_contention(jni, true);
      for (const auto& one : agents_) one->contention_timing_begins();
    } else if (!contention && contention_before_) {
      management::time_contention(jni, *std::exchange(contention_before_, std::nullopt));
    }
    if (!variables_.monitor) last_check_.reset();
    pace_.reset();  // CHECKTIME may have changed
    possible = !wanted || thread_capture(jni) != nullptr;
  }
  if (!wanted) {
    sampler_.stop(*this);
    return;
  }
  std::string error = "stacks of this VM cannot be taken";
  if (possible) error = sampler_.start(jni, *this);
  if (error.empty()) return sampler_.hasten(*this);
  fail(errors, "", "", error, DyperErrorCode::kUnsupported);
}

void DyperMonitor::use_threads(JNIEnv* jni, pugi::xml_node threads, DyperErrors& errors) {
  const std::lock_guard lock(mutex_);
  std::unordered_set<std::int64_t> living;
  if (const ThreadCapture* all = thread_capture(jni)) {
    for (const ThreadFacts& thread : all->facts(jni, wanted())) living.insert(thread.id);
  }
  choice_.change(threads, living, errors);
}

DyperAgent* DyperMonitor::agent(std::string_view name) {
  const std::string plain = agent_name(name);
  for (const auto& one : agents_) {
    if (one->name() == plain) return one.get();
  }
  return nullptr;
}

template <typename Use>
bool DyperMonitor::use_agents(std::string_view name, DyperErrors& errors, Use use) {
  DyperAgent* const only = agent(name);
  if (only == nullptr && !name.empty()) return no_agent(name, errors);
  for (const auto& one : agents_) {
    if (name.empty() || one.get() == only) use(*one);
  }
  return true;
}

bool DyperMonitor::set_active(std::string_view name, bool on, DyperErrors& errors) {
  const std::lock_guard lock(mutex_);
  DyperAgent* found = agent(name);
  if (found == nullptr) return no_agent(name, errors);
  found->active = on;
  return true;
}

bool DyperMonitor::clear(std::string_view name, DyperErrors& errors) {
  const std::lock_guard lock(mutex_);
  if (!use_agents(name, errors, [](DyperAgent& one) { one.clear(); })) return false;
  checks_ms_ = reports_ms_ = delays_ms_ = {};
  paid_ns_ = 0;
  active_time_ = {};
  return true;
}

bool DyperMonitor::set_detail(std::string_view name, std::string_view item, bool on,
                              DyperErrors& errors) {
  const std::lock_guard lock(mutex_);
  return use_agents(name, errors, [&](DyperAgent& one) { one.set_detail(item, on); });
}

void DyperMonitor::add_command_ms(double ms) {
  const std::lock_guard lock(mutex_);
  commands_ms_ += ms;
}

ThreadCapture::Wanted DyperMonitor::wanted() const {
  return [this](std::int64_t id) { return choice_.uses(id, variables_.thread_default); };
}

std::optional<ThreadSnapshot> DyperMonitor::take_snapshot(JNIEnv* jni) {
  return capture_->capture(jni, variables_.max_depth, wanted());
}

bool DyperMonitor::write_stacks_of_all(JNIEnv* jni, XmlWriter& xml) {
  std::int64_t depth = 0;
  const ThreadCapture* of_all = nullptr;
  {
    const std::lock_guard lock(mutex_);
    depth = variables_.max_depth;
    of_all = thread_capture(jni);
  }
  if (of_all == nullptr) return false;
  const auto all = of_all->capture(jni, depth, [](std::int64_t) { return true; });
  if (all) write_stacks(jni, *all, xml);
  return all.has_value();
}

// Sampling

Sampler::Clock::time_point DyperMonitor::begin(JNIEnv*) {
  const std::lock_guard lock(mutex_);
  if (!vm_thread_) vm_thread_.emplace();
  last_turn_ = last_report_ = Clock::now();
  return last_turn_ + pause();
}

// Random pauses: every moment is equally likely, so snapshots do not synchronise with the program.
nanoseconds DyperMonitor::pause() {
  if (!pace_) {
    const std::int64_t asked_ms = variables_.monitor
                                      ? (variables_.full_monitoring ? 0 : variables_.check_ms)
                                      : variables_.disable_ms;
    pace_.emplace(asked_ms * 1'000'000, budget_ > 0 ? budget_ : 5);
  }
  if (!variables_.monitor) return nanoseconds(pace_->interval_ns());
  const auto random = static_cast<std::uint32_t>(random_());
  return nanoseconds(pace_->pause_ns(random, SamplingDelay::kExponential)) + milliseconds(1);
}

Sampler::Clock::time_point DyperMonitor::sample(JNIEnv* jni, const Turn& turn) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = Clock::now();
  const std::int64_t vm_before_ns = vm_thread_->now_ns();
  budget_ = turn.budget;
  if (!pace_) (void)pause();
  pace_->set_others_percent(turn.others_percent);
  if (variables_.monitor) check(jni, now);
  send_what_is_due(jni, now);
  pay(turn, vm_before_ns);
  active_time_ += now - std::exchange(last_turn_, now);
  return Clock::now() + pause();
}

void DyperMonitor::check(JNIEnv* jni, Clock::time_point now) {
  const auto before = std::exchange(last_check_, now);
  auto seen = take_snapshot(jni);
  if (!seen) return;
  ThreadCapture::add_facts(jni, *seen, [this](const SeenThread& thread) {
    return std::ranges::any_of(agents_, [&](const auto& one) {
      return one->active && one->needs_facts(thread, variables_);
    });
  });
  last_running_ = std::ranges::count_if(
      seen->threads, [](const auto& one) { return one.activity == ThreadActivity::kRunnable; });
  const auto monitored =
      before ? duration_cast<std::chrono::microseconds>(now - *before).count() : 0;
  memory_->use(jni);
  for (const auto& one : agents_) {
    if (one->active) one->check(*seen, monitored, types_, variables_);
  }
  const Clock::time_point done = Clock::now();
  if (before && checks_ms_.count > 0) {
    delays_ms_.add(std::max(0.0, ms_between(*before, now) - checks_ms_.last));
  }
  checks_ms_.add(ms_between(now, done));
}

void DyperMonitor::send_what_is_due(JNIEnv* jni, Clock::time_point now) {
  if (variables_.show_stack) {
    if (const auto seen = take_snapshot(jni)) {
      XmlWriter xml;
      xml.open("DYPER").attribute("DUMP", id_).attribute("TIME", seen->ms);
      write_stacks(jni, *seen, xml);
      send_(xml.close().take());
    }
  }
  const bool reports = variables_.report_ms > 0 && (variables_.monitor || variables_.reporting);
  if (!reports || now - last_report_ < milliseconds(variables_.report_ms)) return;
  last_report_ = now;
  XmlWriter xml;
  xml.open("DYPER").attribute("REPORT", id_).attribute("TIME", epoch_ms());
  send_(xml.raw(report(jni)).close().take());
}

// Charges the cost of this turn: the CPU of this thread, and, for the CPU that the VM thread spent
// on it at a safepoint, that of as many threads as could have run meanwhile.
void DyperMonitor::pay(const Turn& turn, std::int64_t vm_before_ns) {
  const std::int64_t own_ns = cpu_of_this_thread_ns() - turn.cpu_from_ns;
  const std::int64_t vm_ns = vm_thread_->now_ns() - vm_before_ns;
  const std::int64_t running =
      std::clamp<std::int64_t>(last_running_, 1, sysconf(_SC_NPROCESSORS_ONLN));
  const std::int64_t cost_ns = own_ns + vm_ns * (1 + running);
  pace_->add_round(cost_ns);
  sampler_.spend(cost_ns);
  paid_ns_ += static_cast<double>(cost_ns);
}

// Reports

void DyperMonitor::write_report(JNIEnv* jni, XmlWriter& xml) {
  const std::lock_guard lock(mutex_);
  xml.raw(report(jni));
}

std::string DyperMonitor::report(JNIEnv* jni) {
  const Clock::time_point begun = Clock::now();
  ReportMoment moment;
  moment.processors = sysconf(_SC_NPROCESSORS_ONLN);
  if (const auto* all = thread_capture(jni)) moment.threads = all->facts(jni, wanted());
  // After the threads' times, which are thus not longer than the time in which they arose.
  moment.now_ms = epoch_ms();
  const Clock::time_point now = Clock::now();
  if (counted_) {
    XmlWriter counted;
    counted_(jni, counted);
    moment.counted = counted.take();
  }
  XmlWriter xml;
  xml.open("MONITOR").attribute("TIME", moment.now_ms);
  xml.attribute("NANO", duration_cast<nanoseconds>(now.time_since_epoch()).count());
  xml.attribute("OVERHEAD", static_cast<std::int64_t>(commands_ms_));
  // The mean plus one, as in the original: clients expect that.
  if (checks_ms_.count > 0) {
    xml.attribute("LASTCHECK", checks_ms_.last).attribute("CHECKTIME", checks_ms_.mean() + 1.0);
    xml.attribute("CHECKTOTAL", checks_ms_.sum);
  }
  if (reports_ms_.count > 0) xml.attribute("REPORTTIME", reports_ms_.mean() + 1.0);
  if (delays_ms_.count > 0) xml.attribute("DELAYAVG", delays_ms_.mean());
  const double active_ns = std::chrono::duration<double, std::nano>(active_time_).count();
  if (active_ns > 0) xml.attribute("BUDGET", budget_).attribute("USED", paid_ns_ * 100 / active_ns);
  memory_->use(jni);
  bool counted = moment.counted.empty();
  for (const auto& one : agents_) {
    if (!one->active) continue;
    one->report(moment, variables_, xml);
    counted = counted || one->name() == "CPU";
  }
  if (!counted) xml.open("COUNTERS").raw(moment.counted).close();
  reports_ms_.add(ms_between(begun, Clock::now()));
  return xml.close().take();
}

}  // namespace ddm
