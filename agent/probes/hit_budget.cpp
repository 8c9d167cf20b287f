#include "probes/hit_budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/clocks.h"
#include "core/log.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kStep{50}, kFirstPeriod{2};
constexpr std::chrono::milliseconds kWarmUp{5};
constexpr int kRunsToMeasure = 4;
constexpr int kStepsToCalibrate = 20;  // also for checking which threads have ended
// Factor on the measured cost of a hit: in the program, a hit also prevents JIT optimizations.
constexpr double kReserve = 1.5;

}  // namespace

HitCounts HitCounts::since(const std::vector<std::int64_t>& counts, std::int32_t cell) {
  const auto at = static_cast<std::size_t>(cell);
  if (at + kTestsCell >= counts.size()) return {};  // the cell was taken after `counts` were read
  const HitCounts before = std::exchange(*this, {counts[at], counts[at + kTestsCell]});
  return {hits - before.hits, tests - before.tests};
}

double HitCounts::cost(const HitCosts& costs, bool timed, const ConditionWork& work) const {
  return kReserve * cost_of_hits(costs, hits, tests, timed, work);
}

HitBudget::HitBudget(jvmtiEnv* jvmti, Patches& patches, Sources sources)
    : patches_(patches),
      sinks_(patches.sinks()),
      sources_(std::move(sources)),
      thread_(jvmti, "ddmagent-probes"),
      side_thread_(jvmti, "ddmagent-classes", std::chrono::seconds(5)),
      limit_percent_(static_cast<double>(sources_.percent())) {
  thread_.end_when_idle();
}

HitBudget::Clocks HitBudget::now() const {
  return {monotonic_ns(), nanos_of(CLOCK_PROCESS_CPUTIME_ID), own_ns(), sources_.sampler_ns()};
}

std::int64_t HitBudget::own_ns() const { return cpu_of_this_thread_ns() + side_thread_.cpu_ns(); }

void HitBudget::add_user(JNIEnv* jni, BudgetUser& user, std::uint32_t percent) {
  if (users_.empty()) begin(jni);
  const auto at = std::ranges::find(users_, &user, &User::user);
  if (at != users_.end()) {
    at->percent = percent;
  } else {
    users_.push_back({&user, ++last_number_, percent});
  }
  set_limit();
}

void HitBudget::remove_user(BudgetUser& user) {
  if (std::erase_if(users_, [&](const User& one) { return one.user == &user; }) == 0) return;
  set_limit();
  if (!users_.empty()) return;
  thread_.every(std::chrono::milliseconds(0), nullptr);
  sources_.report_to_sampler(percent_of_cpu_ = 0);
}

void HitBudget::set_limit() {
  std::uint32_t limit = 0;
  for (const User& one : users_) {
    const auto wanted =
        one.percent > 0 ? one.percent : static_cast<std::uint32_t>(sources_.percent());
    limit = limit == 0 ? wanted : std::min(limit, wanted);
  }
  if (limit == 0) return;  // no user is left: the last figures stay
  budget_->set_limit(limit);
  limit_percent_ = limit;
}

HitCosts HitBudget::calibrate(JNIEnv* jni, int rounds) {
  const HitCosts measured = sinks_.hit_costs(jni, rounds / kRunsToMeasure, kRunsToMeasure);
  costs_.measured(measured);
  return measured;
}

// Waits until the JIT has compiled the measured code. In a later session it mostly still is.
void HitBudget::begin(JNIEnv* jni) {
  const std::int64_t begun = monotonic_ns();
  constexpr std::int64_t kLeast = 60'000'000, kMost = 500'000'000;
  bool compiled = costs_.is_compiled(calibrate(jni, 2000)) && steps_ > 0;
  // The JIT compiles only after many calls.
  if (!compiled) sinks_.hit_costs(jni, 20, 500);
  for (int unchanged = 0; unchanged < 3;) {
    const double before = costs_.now().count + costs_.now().timed;
    const HitCosts latest = calibrate(jni, 2000);
    const std::int64_t spent = monotonic_ns() - begun;
    if (spent > kMost || !latest.known()) break;
    const bool settled = costs_.now().count + costs_.now().timed > 0.9 * before;
    unchanged =
        settled && costs_.is_compiled(latest) && (compiled || spent > kLeast) ? unchanged + 1 : 0;
    if (!compiled && spent < kLeast) std::this_thread::sleep_for(kWarmUp);
  }
  log_info(
      "probes: a hit costs {:.1f} ns counted, {:.1f} ns timed, a native {:.1f} ns, a field by name "
      "{:.1f} ns",
      costs_.now().count, costs_.now().timed, costs_.now().native, costs_.now().step);
  budget_.emplace(static_cast<double>(sources_.percent()));
  used_percent_ = 0;
  messages_.clear();
  shared_hits_ = SinksClass::shared_hits();
  last_ = now();
  poll_every(kStep);
}

void HitBudget::poll_every(std::chrono::milliseconds time) {
  poll_period_ = time;
  thread_.every(time, [this](JNIEnv* jni) { step(jni); });
}

void HitBudget::patches_installed() {
  if (users_.empty()) return;
  charge_own_work();
  last_ = now();
  poll_every(kFirstPeriod);
}

void HitBudget::step(JNIEnv* jni) {
  if (poll_period_ < kStep) {
    poll_every(std::min(kStep, poll_period_ * 3 / 2));
  } else {
    const bool seldom = ++steps_ % kStepsToCalibrate == 0;
    // More often at first, while the JIT has not finished compiling the measured code.
    if (steps_ < 2 * kStepsToCalibrate || seldom) calibrate(jni, 800);
    if (seldom) sinks_.cells().forget_threads(jni);
  }
  const Clocks then = std::exchange(last_, now());
  const std::vector<std::int64_t> counts = sinks_.cells().read(jni);
  std::vector<ProbeBudget::Cost> spent;
  for (const User& one : std::vector(users_)) {
    for (ProbeBudget::Cost cost : one.user->new_costs(jni, costs_.now(), counts)) {
      if (cost.probe != 0) cost.probe |= one.number << 32;
      spent.push_back(cost);
    }
  }
  if (users_.empty()) return;
  set_limit();  // budget= may have been given anew
  const std::int64_t shared = SinksClass::shared_hits();
  const std::int64_t newly_shared = shared - std::exchange(shared_hits_, shared);
  add_shared_hits(spent, kReserve * static_cast<double>(newly_shared) * costs_.now().native);
  double ns = 0, removed_ns = 0;
  for (const ProbeBudget::Cost& cost : spent) {
    ns += cost.ns;
    if (cost.probe == 0) removed_ns += cost.ns;
  }
  std::erase_if(spent, [](const ProbeBudget::Cost& cost) { return cost.probe == 0; });
  ProbeBudget::Step step;
  step.wall_ns = static_cast<double>(last_.wall_ns - then.wall_ns);
  step.cpu_ns = static_cast<double>(last_.cpu_ns - then.cpu_ns);
  step.other_ns =
      removed_ns + static_cast<double>(last_.own_ns - then.own_ns) +
      static_cast<double>(std::max<std::int64_t>(last_.sampler_ns - then.sampler_ns, 0));
  step.probes = spent;
  percent_of_cpu_ += (100 * ns / std::max(step.wall_ns, 1.0) - percent_of_cpu_) *
                     std::min(step.wall_ns / 1e9, 1.0);
  sources_.report_to_sampler(percent_of_cpu_);
  const std::vector<std::uint64_t> costliest = budget_->step(step);
  used_percent_ = budget_->used_percent();
  if (costliest.empty()) return;
  log_info("probes: over the budget of {} %, the dearest are taken out: {}", limit_percent(),
           costliest.size());
  for (const User& one : std::vector(users_)) remove_probes(jni, one, costliest);
  charge_own_work();
}

// If classes cannot be changed now, the next step selects the same probes again.
void HitBudget::remove_probes(JNIEnv* jni, const User& one,
                              const std::vector<std::uint64_t>& costliest) {
  std::vector<std::uint32_t> numbers;
  for (const std::uint64_t probe : costliest) {
    if (probe >> 32 == one.number) numbers.push_back(static_cast<std::uint32_t>(probe));
  }
  if (numbers.empty() || !changes_are_done()) return;
  const auto messages = std::make_shared<std::vector<std::string>>();
  const auto outcome = change_classes(jni, [user = one.user, numbers, messages](JNIEnv* aside) {
    *messages = user->remove(aside, numbers);
  });
  if (outcome == SideThread::Outcome::kDone)
    messages_.insert(messages_.end(), messages->begin(), messages->end());
}

// Removing probes bounds the cost of hits; the cost of changing classes is charged all at once.
std::string HitBudget::over_limit() const {
  if (!budget_ || used_percent_ <= limit_percent_) return "";
  return fmt::format(
      "used {:.1f} % of CPU so far, more than the budget of {:g} %: {:.1f} % by putting probes in "
      "and out, looking after them, samples and probes that are out, {:.1f} % by hits",
      used_percent(), limit_percent(), budget_->other_percent(),
      used_percent() - budget_->other_percent());
}

void HitBudget::charge_own_work() {
  if (users_.empty()) return;
  const std::int64_t own = own_ns();
  budget_->charge_once(static_cast<double>(own - std::exchange(last_.own_ns, own)));
  used_percent_ = budget_->used_percent();
}

}  // namespace ddm
