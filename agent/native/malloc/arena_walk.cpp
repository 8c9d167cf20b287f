#include "native/malloc/arena_walk.h"

#include <algorithm>

#include "core/own_memory.h"

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

  std::uint64_t run() {
    add(region_.begin, region_.first_block, BlockState::kUsed);
    std::uintptr_t at = region_.first_block;
    while (at < region_.end) at = step(at);
    return lost_bytes_;
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

  // None: what lies here is no block.
  std::optional<Block> block_at(std::uintptr_t at) {
    const auto own = header(at);
    if (!own || !plausible(*own, at)) return {};
    const std::uintptr_t end = at + own->bytes();
    if (at == region_.top || end == region_.end) return Block(at, own->bytes(), BlockState::kFree);
    const auto next = header(end);
    if (!next || (!plausible(*next, end) && region_.end - end > kFencepost)) return {};
    if (next->previous_in_use()) return Block(at, own->bytes(), BlockState::kUsed);
    if (next->previous_bytes != own->bytes()) return {};
    return Block(at, own->bytes(), BlockState::kFree);
  }

  // Where to go on.
  std::uintptr_t step(std::uintptr_t at) {
    if (const auto block = block_at(at)) {
      blocks_->push_back(*block);
      return block->end();
    }
    std::uintptr_t end = region_.end;
    if (region_.end - at > kFencepost) {
      end = resync(at);
      lost_bytes_ += end - at;
    }
    add(at, end, BlockState::kUsed);
    return end;
  }

  bool agreeing(std::uintptr_t at) {
    for (int i = 0; i < kAgreeing && at != region_.end; ++i) {
      const auto block = block_at(at);
      if (!block) return false;
      if (at == region_.top) return true;
      at = block->end();
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
  std::uint64_t lost_bytes_ = 0;
};

}  // namespace

std::uint64_t walk_region(const MallocRegion& region, BlockList* blocks) {
  return Walk(region, blocks).run();
}

}  // namespace ddm
