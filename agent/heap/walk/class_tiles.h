// The classes by address: the heap is cut into tiles, each with the classes that take most of it.
//
// Counted after a walk, while the program is still stopped. The walk's log has the start of each
// object, so only class words are read. No allocation, no locks. One thread; several threads count
// concurrently with one ClassTiles each.
#pragma once

#include <span>
#include <vector>

#include "heap/walk/heap_map.h"
#include "heap/walk/klass_table.h"

namespace ddm {

class ClassTiles {
 public:
  static constexpr std::size_t kWidest = 6;  // classes of a tile that are kept

  // A power of two: so large that the heap has a few thousand tiles.
  static std::uint64_t tile_bytes_of(std::uint64_t heap_bytes);

  // `classes`: numbers of the table's cells are below. `most`: that may be counted, areas and tiles
  // together.
  ClassTiles(const ObjectLayout& layout, const KlassTable& table, std::uint64_t tile_bytes,
             std::size_t classes, std::size_t most);

  // The objects of areas that have been walked. Positions are bytes from `base`.
  void count(const HeapMap& map, std::span<const HeapArea> areas, std::uintptr_t base) noexcept;

  // In the order in which they were counted; a tile of several areas may come several times.
  const std::vector<TileClass>& tiles() const { return tiles_; }

 private:
  struct Sum {
    std::uint32_t objects = 0;
    std::uint64_t bytes = 0;
  };
  void add(std::uint32_t number, std::uint64_t bytes) noexcept;
  // What has been added, as a tile's.
  void end_tile(std::uint64_t tile) noexcept;

  const ObjectLayout layout_;
  const KlassTable& table_;
  const std::uint64_t tile_bytes_;
  std::vector<Sum> sums_;               // by number
  std::vector<std::uint32_t> touched_;  // numbers whose sum is not 0
  std::vector<TileClass> tiles_;
};

}  // namespace ddm
