#include "patch/probes.h"

#include <time.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "jvm/jvmti_memory.h"
#include "log.h"
#include "records/name_table.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kStep{50};
constexpr int kStepsToCalibrate = 20;
// Of a probe's measured cost: in the program it also keeps the compiler from doing this or that.
constexpr double kReserve = 1.5;

std::int64_t now_on(clockid_t clock) {
  return static_cast<std::int64_t>(TickClock::nanos_of(clock));
}

}  // namespace

Probes::Probes(jvmtiEnv* jvmti, SinksClass& sinks, Sources sources)
    : jvmti_(jvmti),
      sources_(std::move(sources)),
      thread_(jvmti, "ddmagent-probes"),
      sinks_(sinks),
      records_(sinks.cells()),
      code_(sinks, records_) {
  sinks_.hand_to(records_);
}

void Probes::run(JNIEnv* jni, Work work, Answer answer) {
  if (std::string error = thread_.start(jni); !error.empty()) return answer(Error{error});
  thread_.post([work = std::move(work), answer = std::move(answer)](JNIEnv* own) {
    answer(work(own));
  });
}

void Probes::put_in(JNIEnv* jni, Owner owner, ProbeRequest request, Answer answer) {
  run(
      jni,
      [this, owner, request = std::move(request)](JNIEnv* own) { return begin(own, owner, request); },
      std::move(answer));
}

void Probes::ask(JNIEnv* jni, Owner owner, bool with_records, Answer answer) {
  run(
      jni,
      [this, owner, with_records](JNIEnv* own) -> Result<ProbeFindings> {
        return findings(own, owner, with_records, notes(own, owner));
      },
      std::move(answer));
}

void Probes::take_out(JNIEnv* jni, Owner owner, Answer answer) {
  run(jni, [this, owner](JNIEnv* own) { return end(own, owner); }, std::move(answer));
}

void Probes::owner_gone(Owner owner) {
  if (!on_) return;
  thread_.post([this, owner](JNIEnv* own) {
    if (end(own, owner)) log_info("probes: their connection has gone, and so have they");
  });
}

void Probes::close() { thread_.stop(std::chrono::milliseconds(100)); }

// Once; again if it has failed.
std::string Probes::prepare(JNIEnv* jni) {
  std::string error;
  if (!hooks_) {
    hooks_ = ClassHooks::create(jni, code_, error);
    if (!hooks_) return error;
    running_ = std::make_unique<RunningMethods>(hooks_->jvmti());
  }
  error = hooks_->switch_on();
  if (!error.empty()) return error;
  error = sinks_.define(jni);
  if (error.empty()) error = records_.open(jvmti_, jni, sources_.naming(jni));
  return error;
}

// Until the compiler has seen to it: costs are those of compiled code, unless there is none.
void Probes::calibrate(JNIEnv* jni, int rounds) {
  const HitCosts now = sinks_.hit_costs(jni, rounds);
  if (now.count <= 0) return;
  const auto nearer = [](double& cost, double measured) {
    cost = cost <= 0 || measured < cost ? measured : cost + (measured - cost) / 8;
  };
  nearer(costs_.count, now.count);
  nearer(costs_.test, now.test);
  nearer(costs_.timed, now.timed);
  nearer(costs_.native, now.native);
}

void Probes::first_in(JNIEnv* jni) {
  const std::int64_t begun = now_on(CLOCK_MONOTONIC);
  constexpr std::int64_t kLeast = 60'000'000, kMost = 500'000'000;
  for (int round = 0, unchanged = 0; unchanged < 3; ++round) {
    const double before = costs_.count + costs_.timed;
    calibrate(jni, 2000);
    const std::int64_t spent = now_on(CLOCK_MONOTONIC) - begun;
    if (spent > kMost || costs_.count <= 0) break;
    const bool settled = round > 0 && costs_.count + costs_.timed > 0.9 * before;
    unchanged = settled && (steps_ > 0 || spent > kLeast) ? unchanged + 1 : 0;
  }
  log_info("probes: a hit costs {:.1f} ns counted, {:.1f} ns timed, a native {:.1f} ns",
           costs_.count, costs_.timed, costs_.native);
  charged_.clear();
  budget_ = std::make_unique<ProbeBudget>(static_cast<double>(sources_.budget));
  last_wall_ns_ = now_on(CLOCK_MONOTONIC);
  last_cpu_ns_ = now_on(CLOCK_PROCESS_CPUTIME_ID);
  last_own_ns_ = now_on(CLOCK_THREAD_CPUTIME_ID);
  last_sampler_ns_ = sources_.sampler_ns();
  on_ = true;
  thread_.every(kStep, [this](JNIEnv* own) { step(own); });
}

void Probes::last_out(JNIEnv* jni) {
  thread_.every(std::chrono::milliseconds(0), nullptr);
  on_ = false;
  sources_.tell_sampler(percent_of_cpu_ = 0);
  hooks_->switch_off();
  hooks_->retransform(jni);  // classes that were being defined when the others were listed
}

Result<ProbeFindings> Probes::begin(JNIEnv* jni, Owner owner, ProbeRequest request) {
  const auto same = [owner](const Owned& owned) { return owned.owner == owner; };
  if (std::any_of(owners_.begin(), owners_.end(), same)) {
    return Error{"this connection has probes in; PRBE takes them out"};
  }
  auto wish = read_probe_wish(std::move(request));
  if (!wish) return wish.error();
  if (std::string error = prepare(jni); !error.empty()) {
    if (hooks_ && owners_.empty()) hooks_->switch_off();
    return Error{error};
  }
  if (owners_.empty()) first_in(jni);
  owners_.push_back({owner, wish->request.budget});
  std::uint32_t limit = 0;
  for (const Owned& owned : owners_) {
    if (owned.budget > 0 && (limit == 0 || owned.budget < limit)) limit = owned.budget;
  }
  budget_->set_limit(limit > 0 ? static_cast<double>(limit) : static_cast<double>(sources_.budget));
  running_->before_rewriting(jni);
  code_.add(owner, std::move(*wish));
  const Retransformer::Totals totals = hooks_->retransform(jni);
  running_->after_rewriting(jni);
  charge_own_work();
  log_info("probes: {} of {} loaded classes looked into, longest batch {:.0f} ms",
           totals.retransformed, totals.loaded, totals.longest_batch_ms);
  return findings(jni, owner, false, notes(jni, owner));
}

Result<ProbeFindings> Probes::end(JNIEnv* jni, Owner owner) {
  const auto at = std::find_if(owners_.begin(), owners_.end(),
                               [owner](const Owned& owned) { return owned.owner == owner; });
  if (at == owners_.end()) return Error{"this connection has no probes in; PRBS puts some in"};
  std::vector<std::string> last_notes = notes(jni, owner);
  code_.remove(owner);
  hooks_->retransform(jni);
  ProbeFindings found = findings(jni, owner, true, std::move(last_notes));
  for (const auto& [number, probe] : code_.probes()) {
    if (probe.wish == owner) records_.end(jni, probe.cell);
  }
  owners_.erase(at);
  records_.forget(owner);
  code_.forget(owner);
  if (owners_.empty()) last_out(jni);
  return found;
}

std::vector<std::string> Probes::notes(JNIEnv* jni, Owner owner) {
  std::vector<std::string> notes = code_.notes(owner);
  const auto probes = code_.probes();
  const auto of_owner = [&](const auto& entry) { return entry.second.wish == owner; };
  if (std::none_of(probes.begin(), probes.end(), of_owner)) {
    notes.push_back("no loaded class has such a method; one that is loaded later gets its probe");
  }
  for (const std::string& running : running_ ? running_->still_running(jni) : notes) {
    for (const auto& [number, probe] : probes) {
      if (probe.wish != owner || !probe.removed.empty()) continue;
      if (type_name_of("L" + probe.class_name + ";") + "." + probe.method != running) continue;
      notes.push_back(running + " runs since before it had its probe: that call is not seen");
      break;
    }
  }
  if (const std::int64_t lost = records_.lost(owner); lost > 0) {
    notes.push_back(std::to_string(lost) + " hits were not recorded: there was no room for them");
  }
  return notes;
}

ProbeFindings Probes::findings(JNIEnv* jni, Owner owner, bool with_records,
                               std::vector<std::string> notes) {
  ProbeFindings found;
  found.notes = std::move(notes);
  if (budget_) {
    found.limit_percent = static_cast<std::uint32_t>(budget_->limit_percent());
    found.used_millis = static_cast<std::uint32_t>(std::min(budget_->used_percent(), 1e6) * 1000);
  }
  const auto probes = code_.probes();
  const std::vector<std::int64_t> sums = sinks_.cells().read(jni);
  const auto sum = [&](std::int32_t cell) {
    return static_cast<std::uint64_t>(sums.at(static_cast<std::size_t>(cell)));
  };
  for (const auto& [number, probe] : probes) {
    if (probe.wish != owner) continue;
    ProbeFindings::Method& method = found.methods.emplace_back();
    method.class_name = type_name_of("L" + probe.class_name + ";");
    method.method = probe.method;
    method.signature = probe.descriptor;
    method.removed = probe.removed;
    if (probe.cell < 0) continue;
    method.hits = sum(probe.cell + kHitsCell);
    if (probe.timed) {
      method.ns = sum(probe.cell + kTotalCell);
      for (std::int32_t time = 0; time < kTimeCells; ++time) {
        method.times.push_back(sum(probe.cell + kTimesCell + time));
      }
    }
    if (with_records) method.records = records_.found(probe.cell);
  }
  return found;
}

// Since it was last asked.
double Probes::cost_of(ProbeCode::Number number, const ProbeCode::Probe& probe,
                       const std::vector<std::int64_t>& sums) {
  if (probe.cell < 0) return 0;
  const auto at = static_cast<std::size_t>(probe.cell);
  const Charged now{sums[at], sums[at + kTestsCell], records_.cost(probe.cell)};
  const Charged before = std::exchange(charged_[number], now);
  const auto hits = static_cast<double>(now.hits - before.hits);
  const auto tests = static_cast<double>(now.tests - before.tests);
  double ns = hits * (probe.timed ? costs_.timed : costs_.count);
  if (probe.conditional) ns += tests * costs_.test;
  return kReserve * ns + now.records.ns - before.records.ns +
         static_cast<double>(now.records.calls - before.records.calls) * costs_.native;
}

void Probes::step(JNIEnv* jni) {
  // More often at first: the compiler is not done with what is measured.
  if (++steps_ < 2 * kStepsToCalibrate || steps_ % kStepsToCalibrate == 0) calibrate(jni, 500);
  const std::int64_t wall = now_on(CLOCK_MONOTONIC), cpu = now_on(CLOCK_PROCESS_CPUTIME_ID);
  const std::int64_t own = now_on(CLOCK_THREAD_CPUTIME_ID), sampler = sources_.sampler_ns();
  const auto probes = code_.probes();
  const std::vector<std::int64_t> sums = sinks_.cells().read(jni);
  std::vector<ProbeBudget::Cost> spent;
  for (const auto& [number, probe] : probes) {
    spent.push_back({number, cost_of(number, probe, sums)});
  }
  ProbeBudget::Step step;
  step.wall_ns = static_cast<double>(wall - last_wall_ns_);
  step.cpu_ns = static_cast<double>(cpu - last_cpu_ns_);
  step.other_ns = static_cast<double>(own - last_own_ns_ + std::max<std::int64_t>(
                                                              sampler - last_sampler_ns_, 0));
  step.probes = spent;
  last_wall_ns_ = wall;
  last_cpu_ns_ = cpu;
  last_own_ns_ = own;
  last_sampler_ns_ = sampler;
  double ns = 0;
  for (const ProbeBudget::Cost& cost : spent) ns += cost.ns;
  percent_of_cpu_ += (100 * ns / std::max(step.wall_ns, 1.0) - percent_of_cpu_) / 20;
  sources_.tell_sampler(percent_of_cpu_);
  const auto dearest = budget_->step(step);
  if (!dearest) return;
  const ProbeCode::Probe& probe = probes.at(*dearest);
  if (!probe.removed.empty()) return;  // calls that were inside when it was taken out
  log_info("probes: {}.{} is over the budget of {} % and is taken out", probe.class_name,
           probe.method, budget_->limit_percent());
  code_.remove(jni, *dearest, "budget");
  hooks_->retransform(jni);
  code_.look_at_all();
  charge_own_work();
}

void Probes::charge_own_work() {
  const std::int64_t own = now_on(CLOCK_THREAD_CPUTIME_ID);
  budget_->spent(static_cast<double>(own - last_own_ns_));
  last_own_ns_ = own;
}

}  // namespace ddm
