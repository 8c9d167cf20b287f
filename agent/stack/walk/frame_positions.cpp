#include "stack/walk/frame_positions.h"

#include <sys/mman.h>

#include <new>
#include <utility>

namespace ddm {

constinit thread_local FramePositions* FramePositions::t_positions = nullptr;
constinit thread_local bool FramePositions::t_ended = false;

struct FramePositions::Owner {
  ~Owner() {
    t_ended = true;
    delete std::exchange(t_positions, nullptr);
  }
};

FramePositions* FramePositions::make(Epoch epoch) {
  if (t_ended) return nullptr;
  static thread_local Owner owner;
  static_cast<void>(owner);  // made here, so that it is destroyed when the thread ends
  // Zeroed pages are empty positions; they take memory once they are written.
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  char* const positions = static_cast<char*>(memory) + kTrailBytes;
  t_positions = new (std::nothrow)
      FramePositions(new (memory) StackTrail(), reinterpret_cast<Position*>(positions),
                     new (positions + kPositionsBytes) ParkedTrails(), epoch);
  if (t_positions == nullptr) munmap(memory, kBytes);
  return t_positions;
}

FramePositions::~FramePositions() { munmap(trail_, kBytes); }

void FramePositions::begin(Epoch epoch) {
  epoch_ = epoch;
  trail_->clear();
  parked_->clear();
  if (number_++ < kMostNumber) return;
  number_ = 1;
  std::fill_n(positions_, kPositions, Position());
}

}  // namespace ddm
