#include "native/arena_walk.h"

#include <algorithm>

#include "native/own_memory.h"

namespace ddm {
namespace {

// So many headers in a row that agree are no accident.
constexpr int kAgreeing = 6;
constexpr std::uint64_t kLongestSearch = 4 << 20;
// malloc ends a region that is not the arena's last with two headers of no block.
constexpr std::uint64_t kFencepost = 32;

class Walk {
 public:
  Walk(const MallocRegion& region, BlockList* blocks) : region_(region), blocks_(blocks) {}

  WalkResult run() {
    add(region_.begin, region_.first_block, BlockState::kUsed);
    std::uintptr_t at = region_.first_block;
    while (at < region_.end) at = step(at);
    return result_;
  }

 private:
  struct Header {
    std::uint64_t previous_bytes;
    std::uint64_t bytes_and_flags;
    std::uint64_t bytes() const { return bytes_and_flags & ~kBlockFlags; }
    bool previous_in_use() const { return (bytes_and_flags & kPreviousInUse) != 0; }
  };

  std::optional<Header> header(std::uintptr_t at) { return window_.read<Header>(at); }

  bool plausible(const Header& header, std::uintptr_t at) const {
    return header.bytes() >= kMinBlock && header.bytes() % 16 == 0 &&
           header.bytes() <= region_.end - at && (header.bytes_and_flags & kBlockIsMapped) == 0;
  }

  // Where the block ends, and whether it is in use; 0: it is no block.
  std::uintptr_t block_end(std::uintptr_t at, BlockState* state) {
    const auto own = header(at);
    if (!own || !plausible(*own, at)) return 0;
    const std::uintptr_t end = at + own->bytes();
    if (at == region_.top || end == region_.end) {
      *state = BlockState::kFree;
      return end;
    }
    const auto next = header(end);
    if (!next || (!plausible(*next, end) && region_.end - end > kFencepost)) return 0;
    *state = next->previous_in_use() ? BlockState::kUsed : BlockState::kFree;
    if (*state == BlockState::kFree && next->previous_bytes != own->bytes()) return 0;
    return end;
  }

  std::uintptr_t step(std::uintptr_t at) {
    BlockState state = BlockState::kUsed;
    std::uintptr_t end = block_end(at, &state);
    if (end != 0) {
      add(at, end, state);
      return end;
    }
    if (region_.end - at <= kFencepost) {
      end = region_.end;
    } else {
      ++result_.resyncs;
      end = resync(at);
      result_.lost_bytes += end - at;
    }
    add(at, end, BlockState::kUsed);
    return end;
  }

  bool agreeing(std::uintptr_t at) {
    BlockState state = BlockState::kUsed;
    for (int i = 0; i < kAgreeing && at != region_.end; ++i) {
      const bool top = at == region_.top;
      at = block_end(at, &state);
      if (at == 0) return false;
      if (top) return true;
    }
    return true;
  }

  std::uintptr_t resync(std::uintptr_t at) {
    const std::uintptr_t limit = std::min<std::uintptr_t>(region_.end, at + kLongestSearch);
    for (std::uintptr_t here = at + 16; here < limit; here += 16) {
      if (agreeing(here)) return here;
    }
    return region_.end;
  }

  void add(std::uintptr_t begin, std::uintptr_t end, BlockState state) {
    if (begin < end) blocks_->emplace_back(begin, end - begin, state);
  }

  const MallocRegion& region_;
  BlockList* const blocks_;
  MemoryWindow window_;
  WalkResult result_;
};

}  // namespace

WalkResult walk_region(const MallocRegion& region, BlockList* blocks) {
  return Walk(region, blocks).run();
}

}  // namespace ddm
