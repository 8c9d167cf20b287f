#include "native/malloc/block_list.h"

namespace ddm {

std::uint64_t drop_overlaps(BlockList* blocks) {
  std::uint64_t end = 0;
  std::uint64_t dropped = 0;
  std::erase_if(*blocks, [&](const Block& block) {
    if (block.address < end) {
      dropped += block.bytes;
      return true;
    }
    end = block.end();
    return false;
  });
  return dropped;
}

}  // namespace ddm
