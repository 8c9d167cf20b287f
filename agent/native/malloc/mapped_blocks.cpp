#include "native/malloc/mapped_blocks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/file_descriptor.h"
#include "core/own_memory.h"
#include "native/malloc/glibc_malloc.h"

namespace ddm {
namespace {

constexpr std::uint64_t kMostPages = 1 << 19;  // 2 GiB of memory in use

// Which pages of memory are in use: reading the others would make page tables for them.
class PageTable {
 public:
  PageTable() : fd_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)) {}

  bool in_use(std::uintptr_t address) {
    const std::uint64_t page = address / kPage;
    if (page < first_ || page >= first_ + count_) {
      const ssize_t got = !fd_.valid() ? -1
                                       : pread(fd_.get(), entries_.data(), sizeof entries_,
                                               static_cast<off_t>(page * sizeof entries_[0]));
      first_ = page;
      count_ = got > 0 ? static_cast<std::uint64_t>(got) / sizeof entries_[0] : 0;
      if (count_ == 0) return false;
    }
    return entries_[page - first_] >> 63 != 0;  // what is swapped out stays where it is
  }

 private:
  const FileDescriptor fd_;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  std::array<std::uint64_t, 512> entries_{};
};

class Search {
 public:
  Search(std::uint64_t expected_bytes, BlockList* blocks)
      : expected_(expected_bytes), blocks_(blocks) {}

  std::uint64_t run(const std::vector<Mapping>& mappings, const BlockList& taken) {
    std::vector<Span> rest;
    for (const Mapping& mapping : mappings) {
      if (!mapping.anonymous_data()) continue;
      for (const Span& span : untaken(mapping, taken)) {
        const std::uintptr_t end = follow(span.begin, span.end);
        if (end < span.end) rest.push_back({end, span.end});
      }
    }
    if (expected_ == 0) return found_;
    std::ranges::sort(rest, {}, [](const Span& span) { return span.end - span.begin; });
    for (const Span& span : rest) {
      if (found_ >= expected_) break;
      search_pages(span);
    }
    return found_;
  }

 private:
  struct Span {
    std::uintptr_t begin, end;
  };
  struct Header {
    std::uint64_t before;  // from the mapping's beginning, for blocks of a wanted alignment
    std::uint64_t bytes_and_flags;
  };

  // The parts of the mapping before and behind an arena's heap, which the kernel may have joined with
  // blocks, and the whole mapping where there is none.
  static std::vector<Span> untaken(const Mapping& mapping, const BlockList& taken) {
    std::vector<Span> spans;
    std::uintptr_t at = mapping.begin;
    auto block = std::ranges::upper_bound(taken, mapping.begin, {}, &Block::end);
    for (; block != taken.end() && block->address < mapping.end; ++block) {
      if (const std::uintptr_t end = block->address / kPage * kPage; at < end)
        spans.push_back({at, end});
      at = (block->end() + kPage - 1) / kPage * kPage;
    }
    if (at < mapping.end) spans.push_back({at, mapping.end});
    return spans;
  }

  // The bytes of the block whose mapping begins here, or 0.
  std::uint64_t block_at(std::uintptr_t at, std::uintptr_t limit) {
    for (std::uint64_t alignment = 16; alignment <= kPage; alignment *= 2) {
      const std::uint64_t before = alignment - 16;
      const auto header = window_.read<Header>(at + before);
      if (!header) return 0;
      const std::uint64_t bytes = before + (header->bytes_and_flags & ~kBlockFlags);
      if (header->before == before && (header->bytes_and_flags & kBlockFlags) == kBlockIsMapped &&
          bytes % kPage == 0 && bytes > before + kMinBlock && bytes <= limit - at) {
        return bytes;
      }
    }
    return 0;
  }

  // Takes the blocks that lie one behind the other; where they end.
  std::uintptr_t follow(std::uintptr_t at, std::uintptr_t limit) {
    while (at < limit) {
      const std::uint64_t bytes = pages_.in_use(at) ? block_at(at, limit) : 0;
      if (bytes == 0) break;
      blocks_->emplace_back(at, bytes, BlockState::kUsed);
      found_ += bytes;
      at += bytes;
    }
    return at;
  }

  void search_pages(const Span& span) {
    for (std::uintptr_t at = span.begin; at < span.end && found_ < expected_;) {
      const std::uintptr_t end = follow(at, span.end);
      if (pages_.in_use(at) && ++looked_at_ > kMostPages) return;
      at = end > at ? end : at + kPage;
    }
  }

  const std::uint64_t expected_;
  BlockList* const blocks_;
  std::uint64_t found_ = 0;
  std::uint64_t looked_at_ = 0;
  PageTable pages_;
  MemoryWindow window_{kPage};
};

}  // namespace

std::uint64_t find_mapped_blocks(const std::vector<Mapping>& mappings, const BlockList& taken,
                                 std::uint64_t expected_bytes, BlockList* blocks) {
  return Search(expected_bytes, blocks).run(mappings, taken);
}

}  // namespace ddm
