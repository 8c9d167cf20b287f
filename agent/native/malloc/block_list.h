// malloc's blocks, by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/page_allocator.h"

namespace ddm {

enum class BlockState : std::uint8_t {
  kFree,
  kUsed,
  kCached,  // freed by the program, in a thread's cache (tcache) or a fastbin
};

struct Block {
  std::uint64_t address = 0;
  std::uint64_t bytes : 62 = 0;  // including malloc's header
  std::uint64_t state_bits : 2 = 0;

  Block(std::uint64_t at, std::uint64_t size, BlockState state)
      : address(at), bytes(size), state_bits(static_cast<std::uint64_t>(state)) {}
  BlockState state() const { return static_cast<BlockState>(state_bits); }
  void set_state(BlockState state) { state_bits = static_cast<std::uint64_t>(state) & 3; }
  std::uint64_t end() const { return address + bytes; }
};

// Room for so many bytes is reserved at once: PageAllocator takes less from malloc, which would
// change the blocks that are being listed.
inline constexpr std::size_t kMappedBytes = 128 << 10;

using BlockList = std::vector<Block, PageAllocator<Block>>;

// Drops blocks that overlap their predecessor, as in an arena that changed while it was read. The
// list is in ascending order. Returns the bytes dropped.
std::uint64_t drop_overlaps(BlockList* blocks);

}  // namespace ddm
