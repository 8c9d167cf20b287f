#include "native/malloc/glibc_malloc.h"

#include <gnu/libc-version.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "core/own_memory.h"
#include "native/malloc/loaded_library.h"

namespace ddm {
namespace {

// HEAP_MAX_SIZE, or four huge pages of 2 MiB or 1 GiB.
constexpr std::array<std::uint64_t, 3> kHeapSizes = {
    std::uint64_t{64} << 20, std::uint64_t{8} << 20, std::uint64_t{4} << 30};
constexpr std::size_t kMostArenas = 1 << 16;
constexpr std::uint64_t kMostGrowth = std::uint64_t{1} << 30;  // while a map is drawn
constexpr std::size_t kFastbins = 10;
constexpr std::size_t kBins = 127;

struct HeapInfo {
  std::uintptr_t arena, previous;
  std::uint64_t bytes, accessible_bytes, page_bytes, padding;
};
static_assert(sizeof(HeapInfo) == 48);

struct MallocState {
  std::uint32_t mutex, flags, have_fastchunks, padding;
  std::array<std::uintptr_t, kFastbins> fastbins;
  std::uintptr_t top, last_remainder;
  std::array<std::array<std::uintptr_t, 2>, kBins> bins;  // forward, backward
  std::array<std::uint32_t, 4> bin_map;
  std::uintptr_t next, next_free;
  std::uint64_t attached_threads, system_bytes, max_system_bytes;
};
static_assert(sizeof(MallocState) == 2200);

struct MallocParameters {  // the end of struct malloc_par, from n_mmaps on
  std::uint32_t mapped_blocks, max_mapped_allowed, max_mapped_blocks, no_dynamic_threshold;
  std::uint64_t mapped_bytes, max_mapped_bytes;
  std::uintptr_t heap_begin;
  std::uint64_t cache_bins, cache_max_bytes, cache_depth, cache_unsorted_limit;
};

bool known_version() {
  const std::string_view version = gnu_get_libc_version();
  return version >= "2.35" && version <= "2.41" && version.size() == 4;
}

// An arena's bins are rings that start in the arena: an empty one points to itself.
bool looks_like_an_arena(const MallocState& state, std::uintptr_t at) {
  if (state.mutex > 2 || state.flags > 7 || state.have_fastchunks > 1 || state.next == 0 ||
      state.next % 8 != 0 || state.top == 0 || state.top % 16 != 0 ||
      state.system_bytes > state.max_system_bytes) {
    return false;
  }
  std::size_t empty = 0;
  for (std::size_t i = 0; i < kBins; ++i) {
    const std::uintptr_t ring = at + offsetof(MallocState, bins) + 16 * i - 16;
    const auto [forward, backward] = state.bins[i];
    if (forward % 16 != ring % 16 && forward % 16 != 0) return false;
    if (forward == 0 || backward == 0) return false;
    empty += forward == ring && backward == ring ? 1 : 0;
  }
  return empty >= 8;
}

MallocArena arena_from(const MallocState& state, std::uintptr_t at) {
  return {at,         state.top,
          state.next, state.system_bytes,
          0,          {state.fastbins.begin(), state.fastbins.end()}};
}

struct DataSegment {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

// libc's writable data.
DataSegment find_libc_data() {
  DataSegment found;
  visit_libraries([&](const dl_phdr_info& info) {
    const std::string_view name = info.dlpi_name;
    if (!name.substr(name.rfind('/') + 1).starts_with("libc.so.6")) return false;
    for (const ElfW(Phdr) & header : LoadedLibrary::of(info).headers) {
      if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
      const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
      found = {begin, begin + header.p_memsz};
    }
    return true;
  });
  return found;
}

// A copy of libc's data, searched in steps of a pointer.
class LibcData {
 public:
  LibcData() : at_(find_libc_data()) {
    words_.resize((at_.end - at_.begin) / 8);
    if (words_.empty() || !read_own_memory(at_.begin, words_.data(), words_.size() * 8)) {
      words_.clear();
    }
  }

  std::optional<MallocArena> main_arena() const {
    for (std::size_t i = 0; i + sizeof(MallocState) / 8 <= words_.size(); ++i) {
      MallocState state;
      std::memcpy(&state, &words_[i], sizeof state);
      const std::uintptr_t at = at_.begin + 8 * i;
      if (looks_like_an_arena(state, at)) return arena_from(state, at);
    }
    return {};
  }

  std::optional<MallocCounters> counters(std::uintptr_t heap_begin) const {
    constexpr std::size_t kBefore = offsetof(MallocParameters, heap_begin) / 8;
    for (std::size_t i = kBefore; i + sizeof(MallocParameters) / 8 - kBefore <= words_.size();
         ++i) {
      if (words_[i] != heap_begin) continue;
      MallocParameters found;
      std::memcpy(&found, &words_[i - kBefore], sizeof found);
      if (found.cache_bins > 64 || found.mapped_bytes > found.max_mapped_bytes ||
          found.mapped_blocks > found.max_mapped_blocks || found.cache_depth > 0xffff) {
        continue;
      }
      return MallocCounters{found.mapped_bytes, found.cache_depth};
    }
    return {};
  }

 private:
  DataSegment at_;
  std::vector<std::uint64_t> words_;
};

// A heap of this arena, if heaps are of this size. Read later than the mappings: it may have grown
// beyond what they say.
std::optional<HeapInfo> heap_at(std::uintptr_t at, std::uint64_t heap_size, std::uintptr_t arena) {
  const auto heap = read_own<HeapInfo>(at);
  const bool plausible = heap && heap->arena == arena && heap->page_bytes >= kPage &&
                         heap->page_bytes <= heap_size && heap->bytes >= kPage &&
                         heap->bytes <= heap_size && heap->bytes % kPage == 0 &&
                         heap->bytes <= heap->accessible_bytes && heap->previous % heap_size == 0;
  return plausible ? heap : std::nullopt;
}

// The size of this arena's heaps: the one that finds its top in one of them. 0: none does.
std::uint64_t heap_size_of(const MallocArena& arena) {
  for (const std::uint64_t size : kHeapSizes) {
    const std::uintptr_t at = arena.top / size * size;
    const auto heap = heap_at(at, size, arena.address);
    if (heap && arena.top < at + heap->bytes) return size;
  }
  return 0;
}

// From the last heap to the first. False: heaps came or went meanwhile.
bool add_heaps(MallocArena* arena, std::vector<MallocRegion>* regions) {
  const std::uint64_t size = heap_size_of(*arena);
  if (size == 0) return false;
  for (std::uintptr_t at = arena->top / size * size; at != 0;) {
    const auto heap = heap_at(at, size, arena->address);
    if (!heap || arena->region_bytes > arena->system_bytes + kMostGrowth) return false;
    const bool first = arena->address == at + sizeof(HeapInfo);
    const std::uintptr_t blocks = at + sizeof(HeapInfo) + (first ? sizeof(MallocState) : 0);
    regions->push_back({at, (blocks + 15) / 16 * 16, at + heap->bytes, arena->top});
    arena->region_bytes += heap->bytes;
    at = heap->previous;
  }
  return true;
}

// None: there is no arena here.
std::optional<MallocArena> add_thread_arena(std::uintptr_t at, std::vector<MallocRegion>* regions) {
  const std::size_t regions_before = regions->size();
  for (int attempts_left = 3;; --attempts_left) {
    const auto state = read_own<MallocState>(at);
    if (!state || !looks_like_an_arena(*state, at)) return {};
    MallocArena arena = arena_from(*state, at);
    if (add_heaps(&arena, regions) || attempts_left == 1) return arena;
    regions->resize(regions_before);
  }
}

void add_thread_arenas(GlibcMalloc* found) {
  const std::uintptr_t main_arena = found->arenas.front().address;
  std::uintptr_t at = found->arenas.front().next;
  while (at != main_arena && found->arenas.size() < kMostArenas) {
    auto arena = add_thread_arena(at, &found->regions);
    if (!arena) return;
    at = arena->next;
    found->arenas.push_back(std::move(*arena));
  }
}

// Where the main arena ends, if it has grown since the mappings were read. Its last block's size
// was read later than where it begins, and may be anything by then.
std::uintptr_t grown_end(const std::vector<Mapping>& mappings, const Mapping& mapping,
                         std::uintptr_t end) {
  const bool plausible = end % kPage == 0 && end > mapping.end && end - mapping.end <= kMostGrowth;
  if (!plausible) return mapping.end;
  for (const Mapping& other : mappings) {
    if (other.begin >= mapping.end && other.begin < end) return mapping.end;
  }
  return end;
}

// Usually [heap]; beside it the mapping that malloc took when [heap] could not grow.
void add_main_regions(const std::vector<Mapping>& mappings, GlibcMalloc* found) {
  MallocArena& arena = found->arenas.front();
  const Mapping* of_top = find_mapping(mappings, arena.top);
  for (const Mapping& mapping : mappings) {
    const bool is_heap = mapping.name == "[heap]";
    // The heap may have grown since the mappings were read.
    const bool holds_top = &mapping == of_top || (is_heap && of_top == nullptr);
    if (!is_heap && !holds_top) continue;
    const auto top_bytes = holds_top ? read_own<std::uint64_t>(arena.top + 8) : std::nullopt;
    const std::uintptr_t end =
        top_bytes ? grown_end(mappings, mapping, arena.top + (*top_bytes & ~kBlockFlags))
                  : mapping.end;
    found->regions.push_back({mapping.begin, mapping.begin, end, arena.top});
    arena.region_bytes += end - mapping.begin;
  }
}

}  // namespace

std::optional<GlibcMalloc> find_glibc_malloc(const std::vector<Mapping>& mappings,
                                             std::string* why) {
  if (!known_version()) {
    *why = std::string("glibc ") + gnu_get_libc_version() + " is not one whose malloc is known";
    return {};
  }
  const LibcData data;
  auto main_arena = data.main_arena();
  if (!main_arena) {
    *why = "malloc's main arena is not where it should be; is it another malloc?";
    return {};
  }
  GlibcMalloc found;
  found.arenas.push_back(std::move(*main_arena));
  add_main_regions(mappings, &found);
  const auto heap = std::ranges::find(mappings, "[heap]", &Mapping::name);
  if (heap != mappings.end()) found.counters = data.counters(heap->begin);
  add_thread_arenas(&found);
  std::ranges::sort(found.regions, {}, &MallocRegion::begin);
  return found;
}

}  // namespace ddm
