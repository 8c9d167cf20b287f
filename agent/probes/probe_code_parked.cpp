// Parked probes: they stay in the code although no connection wants them any more.
#include <algorithm>
#include <utility>

#include "probes/plans/sinks.h"
#include "probes/probe_code.h"
#include "vm/class_changes/class_changes.h"

namespace ddm {

bool ProbeCode::may_stay(ProbeSetId id) const {
  const std::uint32_t many = class_changes::many();
  const std::lock_guard lock(mutex_);
  const auto set = sets_.find(id);
  if (many == 0 || set == sets_.end()) return false;
  const ProbeSpec& spec = *set->second.spec;
  if (spec.timed() || !spec.condition_work().is_cheap()) return false;
  return std::ranges::any_of(probes_, [&](const auto& entry) {
    const Probe& probe = entry.second;
    return probe.set == id && probe.removed.empty() &&
           class_changes::count(probe.class_name) >= many;
  });
}

void ProbeCode::park(ProbeSetId id) {
  const std::lock_guard lock(mutex_);
  const auto at = sets_.find(id);
  if (at == sets_.end()) return;
  ProbeSet set = std::move(at->second);
  sets_.erase(at);
  set.parked = true;
  hand_over(id, next_parked_);
  sets_[next_parked_++] = std::move(set);
}

// Lock held.
void ProbeCode::hand_over(ProbeSetId from, ProbeSetId to) {
  for (auto& [number, probe] : probes_) {
    if (probe.set == from) probe.set = to;
  }
}

bool ProbeCode::adopt(JNIEnv* jni, ProbeSetId id, const ProbeSpec& spec, double budget,
                      const std::vector<std::int64_t>& counts) {
  const auto essence = [](ProbeRequest request) {
    request.records = request.budget = 0;
    request.depth.reset();
    return request;
  };
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::find_if(sets_, [&](const auto& entry) {
    return entry.second.parked && essence(entry.second.spec->request) == essence(spec.request);
  });
  if (at == sets_.end()) return false;
  const ProbeSetId former = at->first;
  ProbeSet adopted = std::move(at->second);
  sets_.erase(at);
  adopted.parked = false;
  adopted.budget = budget;
  adopted.spec = std::make_shared<const ProbeSpec>(spec);
  hand_over(former, id);
  for (auto& [number, probe] : probes_) {
    if (probe.set != id) continue;
    probe.since = std::chrono::steady_clock::now();
    if (probe.cell < 0) continue;
    // A class that was loaded since may have a counter that `counts` does not reach.
    const std::size_t cell = static_cast<std::size_t>(probe.cell) + kHitsCell;
    probe.hits_before = cell < counts.size() ? counts[cell] : 0;
    if (probe.removed.empty()) record_hits(jni, probe, spec.request);
  }
  sets_[id] = std::move(adopted);
  return true;
}

std::vector<ProbeCode::ProbeSetId> ProbeCode::drop_parked(const std::string& patterns) {
  const MethodFilter next(patterns);
  const std::lock_guard lock(mutex_);
  std::vector<ProbeSetId> dropped;
  for (const auto& [id, set] : sets_) {
    if (!set.parked) continue;
    const bool touched = std::ranges::any_of(probes_, [&, id = id](const auto& entry) {
      return entry.second.set == id && next.may_want_class(entry.second.class_name, false);
    });
    if (touched) dropped.push_back(id);
  }
  for (const ProbeSetId id : dropped) sets_.erase(id);
  return dropped;
}

}  // namespace ddm
