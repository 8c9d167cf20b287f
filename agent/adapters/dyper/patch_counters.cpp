#include "adapters/dyper/patch_counters.h"

#include <iterator>

#include "core/class_names.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kRestOutside{5};

}  // namespace

std::int32_t PatchCounters::cell_of(std::int32_t id, std::string_view class_name, bool timed) {
  const std::lock_guard lock(mutex_);
  OfClass& one = classes_[dotted_name(class_name)];
  if (one.number == 0) one.number = ++last_number_;
  one.out.reset();
  const auto known = one.counters.find({id, timed});
  if (known != one.counters.end()) return known->second.cell;
  const std::int32_t cell = timed ? cells_.take_timer(CountedThreads::kChosen)
                                  : cells_.take_counter(CountedThreads::kChosen);
  if (cell >= 0) one.counters[{id, timed}].cell = cell;
  return cell;
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
    for (auto& [key, counter] : one.counters) {
      ns += counter.paid.since(counts, counter.cell).cost(costs, /*timed=*/key.second);
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
  for (const auto& [key, counter] : one.counters) {
    const auto& [id, timed] = key;
    Counted counted{value(counter.cell + kHitsCell), {}};
    if (timed) counted.ns = value(counter.cell + kTotalCell);
    sums[id].add(counted, 1);
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
  for (const auto& [key, counter] : one.counters) cells_.give_back(counter.cell);
}

}  // namespace ddm
