#include "stack/tree/tree_copy.h"

#include <bit>

namespace ddm {

void TreeCopy::put(TraceNumber number, std::uint32_t frame_number, Frame frame) {
  if (nodes_.empty()) return;
  frames_[frame_number].store(std::bit_cast<std::uint64_t>(frame), std::memory_order_release);
  nodes_[number].store(frame_number, std::memory_order_release);
}

void TreeCopy::put_caller(TraceNumber number, TraceNumber caller) {
  if (!nodes_.empty()) nodes_[number].store(kCaller | caller, std::memory_order_release);
}

bool TreeCopy::read(TraceNumber number, std::vector<Frame>& frames, bool& cut) const {
  frames.clear();
  while (number > kCutTrace) {
    if (number >= nodes_.size() || frames.size() == kMaxTreeDepth) return false;
    const std::uint32_t frame = nodes_[number].load(std::memory_order_acquire);
    if (frame >= frames_.size()) return false;
    frames.push_back(std::bit_cast<Frame>(frames_[frame].load(std::memory_order_acquire)));
    const std::uint32_t before = nodes_[number - 1].load(std::memory_order_acquire);
    // A caller's number is less than its callees', so this ends.
    const TraceNumber caller = (before & kCaller) != 0 ? before & ~kCaller : number - 1;
    if (caller >= number) return false;
    number = caller;
  }
  cut = number == kCutTrace;
  return number != kNoTrace;
}

}  // namespace ddm
