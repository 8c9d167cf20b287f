// The open calls of virtual threads by thread id, distributed over several locks. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "time/calls/open_calls.h"

namespace ddm {

class VirtualCalls {
 public:
  static constexpr std::int64_t kNobody = 0;

  // The thread's own; throws std::bad_alloc.
  OpenCalls* of(std::int64_t thread);
  // Null: it has none.
  OpenCalls* find(std::int64_t thread);
  // Its calls have ended: others may reuse the object.
  void forget(std::int64_t thread, OpenCalls* calls) noexcept;
  // Discards all calls. With `reuse`, no thread may be inside of one of the objects.
  void forget_all(bool reuse);

  // Calls `visit(const OpenCalls&)` for each thread, under a lock.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Shard& shard : shards_) {
      const std::lock_guard lock(shard.mutex);
      for (const auto& [thread, calls] : shard.calls) visit(*calls);
    }
  }

 private:
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<std::int64_t, OpenCalls*> calls;
    std::vector<OpenCalls*> unused;
    std::vector<std::unique_ptr<OpenCalls>> all;
  };

  Shard& shard_of(std::int64_t thread) {
    return shards_[static_cast<std::size_t>(thread) % shards_.size()];
  }

  std::array<Shard, 16> shards_;
};

}  // namespace ddm
