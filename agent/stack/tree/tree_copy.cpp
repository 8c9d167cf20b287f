#include "stack/tree/tree_copy.h"

#include <bit>

#include "stack/tree/node_word.h"

namespace ddm {

void TreeCopy::put(TraceNumber number, std::uint32_t word, Frame frame) {
  if (nodes_.empty()) return;
  frames_[word & NodeWord::kFrame].store(std::bit_cast<std::uint64_t>(frame),
                                         std::memory_order_release);
  nodes_[number].store(word, std::memory_order_release);
}

void TreeCopy::put_caller(TraceNumber number, TraceNumber caller) {
  if (!nodes_.empty()) nodes_[number].store(NodeWord::kCaller | caller, std::memory_order_release);
}

Frame TreeCopy::frame(std::uint32_t number) const {
  return std::bit_cast<Frame>(frames_[number].load(std::memory_order_acquire));
}

bool TreeCopy::read(TraceNumber number, std::vector<Frame>& frames, bool& cut) const {
  frames.clear();
  while (number > kCutTrace) {
    if (number >= nodes_.size() || frames.size() == kMaxTreeDepth) return false;
    const std::uint32_t at = word(number);
    if ((at & NodeWord::kCaller) != 0 || (at & NodeWord::kFrame) >= frames_.size()) return false;
    frames.push_back(frame(at & NodeWord::kFrame));
    const std::uint32_t before = word(number - 1);
    // A caller's number is less than its callees', so this ends.
    const TraceNumber caller =
        (before & NodeWord::kCaller) != 0 ? before & ~NodeWord::kCaller : number - 1;
    if (caller >= number) return false;
    number = caller;
  }
  cut = number == kCutTrace;
  return number != kNoTrace;
}

}  // namespace ddm
