// Where glibc's malloc keeps its arenas: found, checked, never assumed.
//
// There is no interface for it, so the structures are recognised by what they must look like
// (glibc 2.35 to 2.41 on 64-bit machines). Nothing is locked: all of it may change while we look.
//
//   the main arena: in libc's data; its blocks lie between the start of [heap] and its top
//   a thread's arena: each arena knows the next one, in a ring from the main arena on
//   a heap of it: at a multiple of 64 MiB (of four huge pages with glibc.malloc.hugetlb=2), struct
//     heap_info first, which knows the heap before; the arena itself (struct malloc_state) follows
//     in its first heap, and its top lies in the last
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/chunks/mappings.h"

namespace ddm {

struct MallocArena {
  std::uintptr_t address = 0;  // of struct malloc_state
  std::uintptr_t top = 0;      // the block that reaches to the end
  std::uintptr_t next = 0;     // of the ring
  std::uint64_t system_bytes = 0;
  std::uint64_t region_bytes = 0;        // of its regions that were found
  std::vector<std::uintptr_t> fastbins;  // the first block of each list, or 0
};

// A stretch of an arena's blocks without gaps.
struct MallocRegion {
  std::uintptr_t begin = 0;  // what belongs to malloc
  std::uintptr_t first_block = 0;
  std::uintptr_t end = 0;
  std::uintptr_t top = 0;  // of its arena; outside for all but the last region
};

struct MallocCounters {  // of struct malloc_par
  std::uint64_t mapped_blocks = 0;
  std::uint64_t mapped_bytes = 0;
  std::uint64_t cache_depth = 0;  // most blocks of one size in a thread's cache
};

struct GlibcMalloc {
  std::vector<MallocArena> arenas;    // the main arena first
  std::vector<MallocRegion> regions;  // in ascending order
  std::optional<MallocCounters> counters;
};

// What a block's header says: the size is a multiple of 16, and three bits tell of the block and
// of the one before it.
inline constexpr std::uint64_t kHeaderBytes = 16;
inline constexpr std::uint64_t kPreviousInUse = 1;
inline constexpr std::uint64_t kBlockIsMapped = 2;
inline constexpr std::uint64_t kBlockFlags = 7;
inline constexpr std::uint64_t kMinBlock = 32;

// `why` says what was not as expected if there is none.
std::optional<GlibcMalloc> find_glibc_malloc(const std::vector<Mapping>& mappings,
                                             std::string* why);

}  // namespace ddm
