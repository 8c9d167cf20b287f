#include "probes/hit_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/clocks.h"
#include "core/log.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kStep{50}, kFirstLook{2};
constexpr std::chrono::milliseconds kWarmUp{5};
constexpr int kStepsToCalibrate = 20;  // and to look for threads that have ended
// Factor on the measured cost of a hit: in the program, a hit also prevents JIT optimizations.
constexpr double kReserve = 1.5;

}  // namespace

HitCounts HitCounts::since(const std::vector<std::int64_t>& counts, std::int32_t cell) {
  const auto at = static_cast<std::size_t>(cell);
  if (at + kTestsCell >= counts.size()) return {};  // the cell was taken after `counts` were read
  const HitCounts before = std::exchange(*this, {counts[at], counts[at + kTestsCell]});
  return {hits - before.hits, tests - before.tests};
}

double HitCounts::cost(const HitCosts& costs, bool timed) const {
  return kReserve * (static_cast<double>(hits) * (timed ? costs.timed : costs.count) +
                     static_cast<double>(tests) * costs.test);
}

HitBudget::HitBudget(jvmtiEnv* jvmti, Patches& patches, Sources sources)
    : patches_(patches),
      sinks_(patches.sinks()),
      sources_(std::move(sources)),
      thread_(jvmti, "ddmagent-probes"),
      aside_(jvmti, "ddmagent-classes", std::chrono::seconds(5)),
      limit_percent_(static_cast<double>(sources_.percent)) {}

HitBudget::Known HitBudget::now() const {
  return {monotonic_ns(), nanos_of(CLOCK_PROCESS_CPUTIME_ID), own_ns(), sources_.sampler_ns()};
}

std::int64_t HitBudget::own_ns() const { return cpu_of_this_thread_ns() + aside_.cpu_ns(); }

void HitBudget::keep(JNIEnv* jni, HitSpender& spender, std::uint32_t percent) {
  if (kept_.empty()) begin(jni);
  const auto at = std::find_if(kept_.begin(), kept_.end(),
                               [&](const Kept& one) { return one.spender == &spender; });
  if (at != kept_.end()) {
    at->percent = percent;
  } else {
    kept_.push_back({&spender, ++last_number_, percent});
  }
  set_limit();
}

void HitBudget::let_go(JNIEnv*, HitSpender& spender) {
  if (std::erase_if(kept_, [&](const Kept& one) { return one.spender == &spender; }) == 0) return;
  set_limit();
  if (!kept_.empty()) return;
  thread_.every(std::chrono::milliseconds(0), nullptr);
  sources_.tell_sampler(percent_of_cpu_ = 0);
}

void HitBudget::set_limit() {
  std::uint32_t limit = 0;
  for (const Kept& one : kept_) {
    const auto wanted =
        one.percent > 0 ? one.percent : static_cast<std::uint32_t>(sources_.percent);
    limit = limit == 0 ? wanted : std::min(limit, wanted);
  }
  if (limit == 0) return;  // no spender is left: the last figures stay
  budget_->set_limit(limit);
  limit_percent_ = limit;
}

// The lowest cost counts most, as the cost of JIT-compiled code; before compilation it is higher.
void HitBudget::calibrate(JNIEnv* jni, int rounds) {
  const HitCosts measured = sinks_.hit_costs(jni, rounds);
  if (measured.count <= 0) return;
  const auto nearer = [](double& cost, double latest) {
    cost = cost <= 0 || latest < cost ? latest : cost + (latest - cost) / 8;
  };
  nearer(costs_.count, measured.count);
  nearer(costs_.test, measured.test);
  nearer(costs_.timed, measured.timed);
  nearer(costs_.native, measured.native);
}

void HitBudget::begin(JNIEnv* jni) {
  const std::int64_t begun = monotonic_ns();
  constexpr std::int64_t kLeast = 60'000'000, kMost = 500'000'000;
  const bool first = steps_ == 0;
  // The JIT compiles only after many calls, and the loop below waits until it has.
  if (first) sinks_.hit_costs(jni, 20, 500);
  for (int round = 0, unchanged = 0; unchanged < 3; ++round) {
    const double before = costs_.count + costs_.timed;
    calibrate(jni, 2000);
    const std::int64_t spent = monotonic_ns() - begun;
    if (spent > kMost || costs_.count <= 0) break;
    const bool settled = round > 0 && costs_.count + costs_.timed > 0.9 * before;
    unchanged = settled && (!first || spent > kLeast) ? unchanged + 1 : 0;
    if (first && spent < kLeast) std::this_thread::sleep_for(kWarmUp);
  }
  log_info("probes: a hit costs {:.1f} ns counted, {:.1f} ns timed, a native {:.1f} ns",
           costs_.count, costs_.timed, costs_.native);
  budget_.emplace(static_cast<double>(sources_.percent));
  used_percent_ = 0;
  told_.clear();
  last_ = now();
  look_in(kStep);
}

void HitBudget::look_in(std::chrono::milliseconds time) {
  next_look_ = time;
  thread_.every(time, [this](JNIEnv* jni) { step(jni); });
}

void HitBudget::gone_in() {
  if (kept_.empty()) return;
  charge_own_work();
  last_ = now();
  look_in(kFirstLook);
}

void HitBudget::step(JNIEnv* jni) {
  if (next_look_ < kStep) {
    look_in(std::min(kStep, next_look_ * 3 / 2));
  } else {
    const bool seldom = ++steps_ % kStepsToCalibrate == 0;
    // More often at first, while the JIT has not finished compiling the measured code.
    if (steps_ < 2 * kStepsToCalibrate || seldom) calibrate(jni, 500);
    if (seldom) sinks_.cells().forget_threads(jni);
  }
  const Known then = std::exchange(last_, now());
  const std::vector<std::int64_t> counts = sinks_.cells().read(jni);
  std::vector<ProbeBudget::Cost> spent;
  double ns = 0, gone_ns = 0;
  for (const Kept& one : std::vector(kept_)) {
    for (const ProbeBudget::Cost& cost : one.spender->spent(jni, costs_, counts)) {
      ns += cost.ns;
      if (cost.probe == 0) {
        gone_ns += cost.ns;
      } else {
        spent.push_back({one.number << 32 | cost.probe, cost.ns, cost.passing_ns});
      }
    }
  }
  if (kept_.empty()) return;
  ProbeBudget::Step step;
  step.wall_ns = static_cast<double>(last_.wall_ns - then.wall_ns);
  step.cpu_ns = static_cast<double>(last_.cpu_ns - then.cpu_ns);
  step.other_ns =
      gone_ns + static_cast<double>(last_.own_ns - then.own_ns) +
      static_cast<double>(std::max<std::int64_t>(last_.sampler_ns - then.sampler_ns, 0));
  step.probes = spent;
  percent_of_cpu_ += (100 * ns / std::max(step.wall_ns, 1.0) - percent_of_cpu_) *
                     std::min(step.wall_ns / 1e9, 1.0);
  sources_.tell_sampler(percent_of_cpu_);
  const std::vector<std::uint64_t> dearest = budget_->step(step);
  used_percent_ = budget_->used_percent();
  if (dearest.empty()) return;
  log_info("probes: over the budget of {} %, the dearest are taken out: {}", limit_percent(),
           dearest.size());
  for (const Kept& one : std::vector(kept_)) take_out(jni, one, dearest);
  charge_own_work();
}

// If classes cannot be changed now, the next step selects the same probes again.
void HitBudget::take_out(JNIEnv* jni, const Kept& one, const std::vector<std::uint64_t>& dearest) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint64_t probe : dearest) {
    if (probe >> 32 == one.number) numbers.push_back(static_cast<std::uint32_t>(probe));
  }
  if (numbers.empty() || !changes_are_done()) return;
  const auto told = std::make_shared<std::vector<std::string>>();
  const auto outcome = change_classes(jni, [spender = one.spender, numbers, told](JNIEnv* aside) {
    *told = spender->take_out(aside, numbers);
  });
  if (outcome == SideThread::Outcome::kDone) told_.insert(told_.end(), told->begin(), told->end());
}

// Removing probes bounds the cost of hits; the cost of changing classes is charged all at once.
std::string HitBudget::over_limit() const {
  if (!budget_ || used_percent_ <= limit_percent_) return "";
  return fmt::format(
      "used {:.1f} % of CPU so far, more than the budget of {:g} %: {:.1f} % by putting probes in "
      "and "
      "out, looking after them, samples and probes that are out, {:.1f} % by hits",
      used_percent(), limit_percent(), budget_->other_percent(),
      used_percent() - budget_->other_percent());
}

void HitBudget::charge_own_work() {
  if (kept_.empty()) return;
  const std::int64_t own = own_ns();
  budget_->spent(static_cast<double>(own - std::exchange(last_.own_ns, own)));
  used_percent_ = budget_->used_percent();
}

}  // namespace ddm
