// Returns memory to the system after something large was deleted.
//
// malloc keeps free chunks between blocks in use, and the VM frees the storage of weak global
// references some time after their deletion. The arenas are therefore trimmed several times, at
// doubling intervals. Any thread.
#pragma once

#include <chrono>
#include <mutex>

#include "core/chores.h"

namespace ddm {

class FreedMemory {
 public:
  // `first`: interval before the first trim; each further interval is twice as long.
  explicit FreedMemory(std::chrono::milliseconds first = std::chrono::seconds(1)) : first_(first) {}
  ~FreedMemory() { forget(); }
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;

  static constexpr int kTrims = 9;  // the last one after eight and a half minutes

  // Schedules the trims: the caller has deleted something large, or is about to.
  void expect(int trims = kTrims);
  // Cancels the trims that have not started. Does not wait for a running one.
  void forget();

 private:
  const std::chrono::milliseconds first_;
  std::mutex mutex_;
  Chores::Handle chore_;  // null: no trims are scheduled
};

}  // namespace ddm
