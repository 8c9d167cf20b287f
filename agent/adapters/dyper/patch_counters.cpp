#include "adapters/dyper/patch_counters.h"

#include <iterator>

#include "core/class_names.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kRestOutside{5};

// -1: there is none left.
template <typename Cells, typename Take>
std::int32_t cell_of(Cells& cells, std::int32_t id, Take take) {
  const auto known = cells.find(id);
  if (known != cells.end()) return known->second.cell;
  const std::int32_t cell = take();
  if (cell >= 0) cells[id].cell = cell;
  return cell;
}

}  // namespace

PatchCounters::OfClass& PatchCounters::in_use(std::string_view class_name) {
  OfClass& one = classes_[dotted_name(class_name)];
  if (one.number == 0) one.number = ++last_number_;
  one.out.reset();
  return one;
}

std::int32_t PatchCounters::counter_of(std::int32_t id, std::string_view class_name) {
  const std::lock_guard lock(mutex_);
  return cell_of(in_use(class_name).counters, id,
                 [&] { return cells_.take_counter(CountedThreads::kChosen); });
}

std::int32_t PatchCounters::timer_of(std::int32_t id, std::string_view class_name) {
  const std::lock_guard lock(mutex_);
  return cell_of(in_use(class_name).timers, id,
                 [&] { return cells_.take_timer(CountedThreads::kChosen); });
}

void PatchCounters::rest(const std::string& class_name) {
  const std::lock_guard lock(mutex_);
  const auto found = classes_.find(class_name);
  if (found != classes_.end()) found->second.out = Clock::now();
}

bool PatchCounters::empty() const {
  const std::lock_guard lock(mutex_);
  return classes_.empty();
}

std::string PatchCounters::class_of(std::uint32_t number) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, one] : classes_) {
    if (one.number == number && !one.out) return name;
  }
  return "";
}

std::vector<ProbeBudget::Cost> PatchCounters::new_costs(const HitCosts& costs,
                                                        const std::vector<std::int64_t>& counts) {
  std::vector<ProbeBudget::Cost> spent;
  const std::lock_guard lock(mutex_);
  for (auto at = classes_.begin(); at != classes_.end();) {
    OfClass& one = at->second;
    double ns = 0;
    for (auto& [id, counter] : one.counters) {
      ns += counter.paid.since(counts, counter.cell).cost(costs, false);
    }
    for (auto& [id, timer] : one.timers) {
      ns += timer.paid.since(counts, timer.cell).cost(costs, true);
    }
    spent.push_back({one.out ? 0 : one.number, ns});
    const bool rested = one.out && Clock::now() - *one.out > kRestOutside;
    if (rested) give_back(one, counts);
    at = rested ? classes_.erase(at) : std::next(at);
  }
  return spent;
}

void PatchCounters::Counted::add(const Counted& more, std::int64_t sign) {
  count += sign * more.count;
  if (more.ns) ns = ns.value_or(0) + sign * *more.ns;
}

std::map<std::int32_t, PatchCounters::Counted> PatchCounters::read(JNIEnv* jni) const {
  const std::lock_guard lock(mutex_);
  return all(jni);
}

void PatchCounters::clear(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, counted] : all(jni)) kept_[id].add(counted, -1);
}

void PatchCounters::add_to(Sums& sums, const OfClass& one,
                           const std::vector<std::int64_t>& counts) {
  const auto value = [&](std::int32_t cell) {
    const auto at = static_cast<std::size_t>(cell);
    return at < counts.size() ? counts[at] : 0;
  };
  for (const auto& [id, counter] : one.counters) {
    sums[id].add({value(counter.cell + kHitsCell), {}}, 1);
  }
  for (const auto& [id, timer] : one.timers) {
    sums[id].add({value(timer.cell + kHitsCell), value(timer.cell + kTotalCell)}, 1);
  }
}

PatchCounters::Sums PatchCounters::all(JNIEnv* jni) const {
  Sums sums = kept_;
  if (classes_.empty()) return sums;
  const std::vector<std::int64_t> counts = cells_.read(jni);
  for (const auto& [name, one] : classes_) add_to(sums, one, counts);
  return sums;
}

void PatchCounters::give_back(const OfClass& one, const std::vector<std::int64_t>& counts) {
  add_to(kept_, one, counts);
  for (const auto& [id, counter] : one.counters) cells_.give_back(counter.cell);
  for (const auto& [id, timer] : one.timers) cells_.give_back(timer.cell);
}

}  // namespace ddm
