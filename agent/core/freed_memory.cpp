#include "core/freed_memory.h"

#include <malloc.h>

#include <optional>
#include <utility>

namespace ddm {
namespace {

// malloc_trim() holds an arena's lock while it scans the arena's free chunks: with more free memory
// than this, allocating threads could block for too long.
constexpr std::size_t kMostFree = std::size_t{1} << 30;

void give_back() {
  if (mallinfo2().fordblks <= kMostFree) malloc_trim(0);
}

}  // namespace

void FreedMemory::expect(int trims) {
  using Clock = Chores::Clock;
  const std::lock_guard lock(mutex_);
  if (chore_) Chores::of_process().end(chore_);
  chore_ = Chores::of_process().add(
      [first = first_, trims, trim = 0]() mutable -> std::optional<Clock::time_point> {
        give_back();
        if (++trim == trims) return std::nullopt;
        return Clock::now() + first * (1 << trim);
      },
      Clock::now() + first_);
}

void FreedMemory::forget() {
  const std::lock_guard lock(mutex_);
  if (chore_) Chores::of_process().end(std::exchange(chore_, nullptr));
}

}  // namespace ddm
