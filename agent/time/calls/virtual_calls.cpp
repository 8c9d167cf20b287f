#include "time/calls/virtual_calls.h"

#include <atomic>
#include <utility>

namespace ddm {

OpenCalls* VirtualCalls::of(std::int64_t thread) {
  Shard& shard = shard_of(thread);
  const std::lock_guard lock(shard.mutex);
  if (const auto known = shard.calls.find(thread); known != shard.calls.end()) return known->second;
  if (shard.unused.empty()) {
    shard.unused.reserve(shard.all.size() + 1);
    shard.all.push_back(std::make_unique<OpenCalls>());
    shard.unused.push_back(shard.all.back().get());
  }
  OpenCalls* const calls = shard.unused.back();
  shard.calls.emplace(thread, calls);  // the last that may throw
  shard.unused.pop_back();
  calls->owner.store(thread, std::memory_order_release);
  return calls;
}

OpenCalls* VirtualCalls::find(std::int64_t thread) {
  Shard& shard = shard_of(thread);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.calls.find(thread);
  return found != shard.calls.end() ? found->second : nullptr;
}

void VirtualCalls::forget(std::int64_t thread, OpenCalls* calls) noexcept {
  Shard& shard = shard_of(thread);
  const std::lock_guard lock(shard.mutex);
  shard.calls.erase(thread);
  calls->owner.store(kNobody, std::memory_order_release);
  shard.unused.push_back(calls);  // cannot throw: the capacity is reserved
}

void VirtualCalls::forget_all(bool reuse) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [thread, calls] : std::exchange(shard.calls, {})) {
      calls->owner.store(kNobody, std::memory_order_release);
      if (!reuse) continue;
      calls->clear();
      shard.unused.push_back(calls);
    }
  }
}

}  // namespace ddm
