#include "native/malloc/native_map.h"

#include <malloc.h>

#include <algorithm>

#include "core/own_memory.h"
#include "native/malloc/arena_walk.h"
#include "native/malloc/cached_blocks.h"
#include "native/malloc/glibc_malloc.h"
#include "native/malloc/mapped_blocks.h"
#include "wire/chunks/mappings.h"

namespace ddm {
namespace {

void count(NativeMap* map) {
  for (const Block& block : map->blocks) {
    const BlockState state = block.state();
    (state == BlockState::kFree   ? map->free_bytes
     : state == BlockState::kUsed ? map->used_bytes
                                  : map->cached_bytes) += block.bytes;
  }
}

void take_mappings(const std::vector<Mapping>& mappings, NativeMap* map) {
  for (const Mapping& mapping : mappings) {
    if (mapping.name == "[heap]" || mapping.anonymous_data()) {
      map->blocks.emplace_back(mapping.begin, mapping.bytes(), BlockState::kUsed);
    }
  }
}

}  // namespace

NativeMap read_native_map() {
  NativeMap map;
  const std::vector<Mapping> mappings = parse_mappings(read_maps_text());
  map.blocks.reserve(kMappedBytes / sizeof(Block));
  const auto malloc = find_glibc_malloc(mappings, &map.why);
  if (!malloc) {
    take_mappings(mappings, &map);
    count(&map);
    return map;
  }
  map.recognised = true;
  for (const MallocRegion& region : malloc->regions) {
    map.lost_bytes += walk_region(region, &map.blocks);
  }
  mark_cached_blocks(*malloc, &map.blocks);
  // Without malloc's counters, by its public statistics, which take its locks briefly.
  const std::uint64_t expected =
      malloc->counters ? malloc->counters->mapped_bytes : mallinfo2().hblkhd;
  BlockList mapped;
  mapped.reserve(kMappedBytes / sizeof(Block));
  map.mapped_bytes = find_mapped_blocks(mappings, map.blocks, expected, &mapped);
  map.missing_bytes = expected - std::min(expected, map.mapped_bytes);
  for (const MallocArena& arena : malloc->arenas) {
    map.missing_bytes += arena.system_bytes - std::min(arena.system_bytes, arena.region_bytes);
  }
  map.blocks.insert(map.blocks.end(), mapped.begin(), mapped.end());
  std::ranges::sort(map.blocks, {}, &Block::address);
  map.lost_bytes += drop_overlaps(&map.blocks);
  count(&map);
  return map;
}

}  // namespace ddm
