// Parked probes: they stay in the code although no connection wants them any more.
#include <algorithm>
#include <utility>

#include "probes/plans/sinks.h"
#include "probes/probe_code.h"
#include "probes/probe_names.h"
#include "vm/class_changes/class_changes.h"

namespace ddm {

bool ProbeCode::may_stay(WishId id) const {
  const std::uint32_t many = class_changes::many();
  const std::lock_guard lock(mutex_);
  const auto wish = wishes_.find(id);
  if (many == 0 || wish == wishes_.end() || wish->second.wish->timed()) return false;
  return std::any_of(probes_.begin(), probes_.end(), [&](const auto& entry) {
    const Probe& probe = entry.second;
    return probe.wish == id && probe.removed.empty() &&
           class_changes::count(probe.class_name) >= many;
  });
}

void ProbeCode::park(WishId id) {
  const std::lock_guard lock(mutex_);
  const auto at = wishes_.find(id);
  if (at == wishes_.end()) return;
  Wish wish = std::move(at->second);
  wishes_.erase(at);
  wish.parked = true;
  hand_over(id, next_parked_);
  wishes_[next_parked_++] = std::move(wish);
}

// Lock held.
void ProbeCode::hand_over(WishId from, WishId to) {
  std::erase_if(numbers_, [&](const auto& entry) { return probes_.at(entry.second).wish == from; });
  for (auto& [number, probe] : probes_) {
    if (probe.wish != from) continue;
    probe.wish = to;
    numbers_.emplace(
        std::to_string(to) + ' ' + full_name(probe.class_name, probe.method, probe.descriptor),
        number);
  }
}

bool ProbeCode::adopt(JNIEnv* jni, WishId id, const ProbeWish& wish, double budget,
                      const std::vector<std::int64_t>& counts) {
  const auto essence = [](ProbeRequest request) {
    request.records = request.budget = 0;
    return request;
  };
  const std::lock_guard lock(mutex_);
  const auto at = std::find_if(wishes_.begin(), wishes_.end(), [&](const auto& entry) {
    return entry.second.parked && essence(entry.second.wish->request) == essence(wish.request);
  });
  if (at == wishes_.end()) return false;
  const WishId former = at->first;
  Wish adopted = std::move(at->second);
  wishes_.erase(at);
  adopted.parked = false;
  adopted.budget = budget;
  adopted.wish = std::make_shared<const ProbeWish>(wish);
  hand_over(former, id);
  for (auto& [number, probe] : probes_) {
    if (probe.wish != id) continue;
    probe.since = std::chrono::steady_clock::now();
    if (probe.cell < 0) continue;
    probe.hits_before = counts.at(static_cast<std::size_t>(probe.cell) + kHitsCell);
    if (!probe.removed.empty() || !wish.request.recorded()) continue;
    records_.begin(jni, probe.cell, id, wish.request,
                   wish.request.field.empty() ? kinds_of(probe.descriptor) : "");
  }
  wishes_[id] = std::move(adopted);
  return true;
}

std::vector<ProbeCode::WishId> ProbeCode::drop_parked(const std::string& patterns) {
  const MethodFilter coming(patterns);
  const std::lock_guard lock(mutex_);
  std::vector<WishId> dropped;
  for (const auto& [id, wish] : wishes_) {
    if (!wish.parked) continue;
    const bool touched = std::any_of(probes_.begin(), probes_.end(), [&](const auto& entry) {
      return entry.second.wish == id && coming.may_want_class(entry.second.class_name, false);
    });
    if (touched) dropped.push_back(id);
  }
  for (const WishId id : dropped) wishes_.erase(id);
  return dropped;
}

// All probes in the class are parked.
bool ProbeCode::only_parked(std::string_view internal_name) const {
  return std::none_of(probes_.begin(), probes_.end(), [&](const auto& entry) {
    if (entry.second.class_name != internal_name || !entry.second.removed.empty()) return false;
    const auto wish = wishes_.find(entry.second.wish);
    return wish == wishes_.end() || !wish->second.parked;
  });
}

}  // namespace ddm
