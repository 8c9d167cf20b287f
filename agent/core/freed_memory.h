// Gives memory back to the system that somebody else is about to free.
//
// malloc keeps what is free between blocks in use, and the VM frees what its weak handles took when
// it comes to it, some time after they were deleted. So it is looked for several times, less and less
// often. Members: one thread at a time.
#pragma once

#include <chrono>

#include "core/chores.h"

namespace ddm {

class FreedMemory {
 public:
  // `first`: until the first look; each of the next ones comes after twice as long.
  explicit FreedMemory(std::chrono::milliseconds first = std::chrono::seconds(1)) : first_(first) {}
  ~FreedMemory() { forget(); }
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;

  // Much is free soon.
  void expect();
  // No look begins any more. Waits for nobody.
  void forget();

 private:
  static constexpr int kLooks = 9;

  const std::chrono::milliseconds first_;
  Chores::Handle chore_;  // null: nothing was expected
};

}  // namespace ddm
