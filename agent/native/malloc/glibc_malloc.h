// Locates the arenas of glibc's malloc.
//
// glibc exports nothing about them, so the structures are recognised by their invariants (glibc 2.35
// to 2.41, 64 bits). Nothing is locked: all of it may change while it is read.
//
//   main arena: in libc's data; its blocks are between the start of [heap] and its top
//   thread arenas: linked in a ring that starts at the main arena
//   heap of a thread arena: at a multiple of 64 MiB (of four huge pages with glibc.malloc.hugetlb=2),
//     begins with struct heap_info, which links to the previous heap; in the first heap the arena
//     (struct malloc_state) follows; its top is in the last heap
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/chunks/mappings.h"

namespace ddm {

struct MallocArena {
  std::uintptr_t address = 0;  // of struct malloc_state
  std::uintptr_t top = 0;      // the top block
  std::uintptr_t next = 0;     // of the ring
  std::uint64_t system_bytes = 0;
  std::uint64_t region_bytes = 0;        // of the regions that were found
  std::vector<std::uintptr_t> fastbins;  // the first block of each list, or 0
};

// Adjacent blocks of one arena.
struct MallocRegion {
  std::uintptr_t begin = 0;  // of malloc's memory
  std::uintptr_t first_block = 0;
  std::uintptr_t end = 0;
  std::uintptr_t top = 0;  // of its arena; inside the last region only
};

struct MallocCounters {  // of struct malloc_par
  std::uint64_t mapped_bytes = 0;
  std::uint64_t cache_depth = 0;  // limit of a tcache's blocks per size
};

struct GlibcMalloc {
  std::vector<MallocArena> arenas;    // the main arena first
  std::vector<MallocRegion> regions;  // in ascending order
  std::optional<MallocCounters> counters;
};

// A block's header: the size, a multiple of 16, with flags of the block and of its predecessor in
// the lowest three bits.
inline constexpr std::uint64_t kHeaderBytes = 16;
inline constexpr std::uint64_t kPreviousInUse = 1;
inline constexpr std::uint64_t kBlockIsMapped = 2;
inline constexpr std::uint64_t kBlockFlags = 7;
inline constexpr std::uint64_t kMinBlock = 32;

// nullopt: not recognised, with the reason in `why`.
std::optional<GlibcMalloc> find_glibc_malloc(const std::vector<Mapping>& mappings,
                                             std::string* why);

}  // namespace ddm
