// The classes by address: the heap is divided into tiles, each with the classes that occupy most of
// it.
//
// Counted after a walk, at the same safepoint. The walk's log has the start of each object, so only
// class words are read. No allocation, no locks. One thread per ClassTiles.
#pragma once

#include <span>
#include <vector>

#include "heap/walk/heap_map.h"
#include "heap/walk/klass_table.h"

namespace ddm {

class ClassTiles {
 public:
  static constexpr std::size_t kMostClasses = 6;  // classes of a tile that are kept

  // A power of two that divides the heap into a few thousand tiles.
  static std::uint64_t tile_bytes_of(std::uint64_t heap_bytes);

  // `classes`: upper bound of the table's cell numbers. `most`: limit of areas and tiles together.
  ClassTiles(const ObjectLayout& layout, const KlassTable& table, std::uint64_t tile_bytes,
             std::size_t classes, std::size_t most);

  // Counts the objects of walked areas. Positions are bytes from `base`.
  void count(const HeapMap& map, std::span<const HeapArea> areas, std::uintptr_t base) noexcept;

  // In the order of counting; a tile that several areas share may occur several times.
  const std::vector<TileClass>& tiles() const { return tiles_; }

 private:
  struct Sum {
    std::uint32_t objects = 0;
    std::uint64_t bytes = 0;
  };
  void add(std::uint32_t number, std::uint64_t bytes) noexcept;
  // Stores the sums since the last call as the tile's.
  void end_tile(std::uint64_t tile) noexcept;

  const ObjectLayout layout_;
  const KlassTable& table_;
  const std::uint64_t tile_bytes_;
  std::vector<Sum> sums_;               // by number
  std::vector<std::uint32_t> touched_;  // numbers whose sum is not 0
  std::vector<TileClass> tiles_;
};

}  // namespace ddm
