#include "stack/walk/code_heaps.h"

namespace ddm {
namespace {

constexpr std::uint8_t kInNoBlock = 0xff;

}  // namespace

VmAddress CodeHeaps::blob_of(VmAddress pc) const {
  for (const CodeHeapPlace& heap : layout_.code_heaps) {
    if (pc < heap.low || pc >= heap.high_reserved) continue;
    if (pc >= memory_.read<VmAddress>(heap.high_at)) return 0;
    // A byte holds a limited distance, so a large block takes several steps.
    auto segment = static_cast<std::int64_t>((pc - heap.low) >> heap.log2_segment);
    for (;;) {
      const auto back =
          memory_.read<std::uint8_t>(heap.segment_map + static_cast<VmAddress>(segment));
      if (back == 0) break;
      segment -= back;
      if (back == kInNoBlock || segment < 0) return 0;
    }
    const VmAddress block = heap.low + (static_cast<VmAddress>(segment) << heap.log2_segment);
    if (memory_.read<std::uint8_t>(block + static_cast<VmAddress>(layout_.block_used)) == 0)
      return 0;
    return block + static_cast<VmAddress>(layout_.block_header);
  }
  return 0;
}

}  // namespace ddm
