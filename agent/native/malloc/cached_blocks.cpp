#include "native/malloc/cached_blocks.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/own_memory.h"

namespace ddm {
namespace {

constexpr std::size_t kCacheBins = 64;

struct ThreadCache {  // struct tcache_perthread_struct
  std::array<std::uint16_t, kCacheBins> counts;
  std::array<std::uintptr_t, kCacheBins> first;
};
constexpr std::uint64_t kThreadCacheBlock = (sizeof(ThreadCache) + 8 + 15) / 16 * 16;

struct CachedEntry {
  std::uintptr_t next;  // scrambled
  std::uint64_t mark;   // one random number a process
};

constexpr std::uint64_t kLongestFastbin = 4'000'000;

// Links of these lists are stored with the upper bits of their own address mixed in.
std::uintptr_t unscramble(std::uintptr_t link, std::uintptr_t stored_at) {
  return link ^ (stored_at >> 12);
}

class CachedBlocks {
 public:
  CachedBlocks(const GlibcMalloc& malloc, BlockList* blocks)
      : depth_(malloc.counters && malloc.counters->cache_depth > 0 ? malloc.counters->cache_depth
                                                                   : 0xffff),
        malloc_(malloc),
        blocks_(blocks) {
    found_.reserve(kMappedBytes / sizeof(Found) + 1);
  }

  void mark() {
    for (const Block& block : *blocks_) {
      if (block.state() == BlockState::kUsed && block.bytes == kThreadCacheBlock) {
        read_thread_cache(block.address + kHeaderBytes);
      }
    }
    const std::uint64_t mark = usual_mark();
    for (const Found& found : found_) {
      if (found.mark == mark) set_cached(found.block, found.bytes);
    }
    for (const MallocArena& arena : malloc_.arenas) {
      for (std::size_t i = 0; i < arena.fastbins.size(); ++i) {
        read_fastbin(arena.fastbins[i], kMinBlock + 16 * i);
      }
    }
  }

 private:
  struct Found {
    std::uintptr_t block;
    std::uint64_t bytes;
    std::uint64_t mark;
  };

  void read_thread_cache(std::uintptr_t at) {
    const auto cache = window_.read<ThreadCache>(at);
    if (!cache) return;
    for (std::size_t i = 0; i < kCacheBins; ++i) {
      if ((cache->counts[i] == 0) != (cache->first[i] == 0) || cache->first[i] % 16 != 0 ||
          cache->counts[i] > depth_) {
        return;  // some block of the program's
      }
    }
    for (std::size_t i = 0; i < kCacheBins; ++i) {
      std::uintptr_t entry_at = cache->first[i];
      for (std::uint32_t n = 0; n < cache->counts[i] && entry_at != 0; ++n) {
        const auto entry = entries_.read<CachedEntry>(entry_at);
        if (!entry) break;
        found_.push_back({entry_at - kHeaderBytes, kMinBlock + 16 * i, entry->mark});
        entry_at = unscramble(entry->next, entry_at);
        if (entry_at % 16 != 0) break;
      }
    }
  }

  std::uint64_t usual_mark() const {
    std::map<std::uint64_t, std::size_t> counts;
    for (const Found& found : found_) ++counts[found.mark];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& one) { return one.second; });
    return most != counts.end() ? most->first : 0;
  }

  void read_fastbin(std::uintptr_t block, std::uint64_t bytes) {
    for (std::uint64_t n = 0; n < kLongestFastbin && block != 0 && block % 16 == 0; ++n) {
      if (!set_cached(block, bytes)) return;
      const std::uintptr_t link_at = block + kHeaderBytes;
      const auto link = entries_.read<std::uintptr_t>(link_at);
      if (!link) return;
      block = unscramble(*link, link_at);
    }
  }

  // False: there is no such block in use.
  bool set_cached(std::uintptr_t address, std::uint64_t bytes) {
    const auto block = std::ranges::lower_bound(*blocks_, address, {}, &Block::address);
    if (block == blocks_->end() || block->address != address || block->bytes != bytes ||
        block->state() != BlockState::kUsed) {
      return false;
    }
    block->set_state(BlockState::kCached);
    return true;
  }

  const std::uint64_t depth_;
  const GlibcMalloc& malloc_;
  BlockList* const blocks_;
  MemoryWindow window_;
  MemoryWindow entries_{4096};  // of the blocks in the caches, here and there
  std::vector<Found, PageAllocator<Found>> found_;
};

}  // namespace

void mark_cached_blocks(const GlibcMalloc& malloc, BlockList* blocks) {
  CachedBlocks(malloc, blocks).mark();
}

}  // namespace ddm
