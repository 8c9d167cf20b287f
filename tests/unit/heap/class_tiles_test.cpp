#include "heap/walk/class_tiles.h"

#include <catch2/catch.hpp>

#include "heap_states.h"

namespace ddm {
namespace {

// Objects of so many bytes each, laid out one behind the other as a walk would log them.
class Laid {
 public:
  explicit Laid(std::size_t bytes) : memory_(bytes / 8) {
    map_.logs.push_back(std::move(*RunLog::reserve(1 << 16)));
    map_.areas.push_back({0, 0, 0, 0, false});
  }
  void object(std::uint32_t key, std::uint64_t bytes) {
    const std::uint64_t word = key;
    memory_[at_ / 8 + 1] = word;
    add(kObjectState, bytes);
  }
  void hole(std::uint64_t bytes) { add(kFreeState, bytes); }
  std::vector<TileClass> count(const KlassTable& table, std::uint64_t tile, std::size_t classes) {
    ClassTiles tiles(ObjectLayout{}, table, tile, classes, 64);
    tiles.count(map_, map_.areas, reinterpret_cast<std::uintptr_t>(memory_.data()));
    return tiles.tiles();
  }

 private:
  void add(std::uint8_t state, std::uint64_t bytes) {
    map_.logs[0].add(state, bytes);
    map_.areas[0].bytes += bytes;
    at_ += bytes;
  }
  std::vector<std::uint64_t> memory_;
  HeapMap map_;
  std::uint64_t at_ = 0;
};

}  // namespace

TEST_CASE("an object is its class's, in the tile where it begins") {
  KlassTable table;
  table.insert({.key = 0x10, .bytes = 24, .number = 0});
  table.insert({.key = 0x20, .bytes = 24, .number = 1});
  Laid heap(1024);
  heap.object(0x10, 24);
  heap.object(0x20, 200);
  heap.hole(16);
  heap.object(0x10, 32);  // at 240, into the next tile
  heap.object(0x10, 24);
  heap.object(0x99, 24);  // of no class that is known
  const auto tiles = heap.count(table, 256, 2);
  CHECK(tiles == std::vector<TileClass>{{0, 1, 1, 200}, {0, 0, 2, 56}, {256, 0, 1, 24}});
}

TEST_CASE("of many classes the widest are kept") {
  KlassTable table;
  Laid heap(4096);
  for (std::uint32_t i = 0; i < 20; ++i) {
    table.insert({.key = i + 1, .bytes = 16, .number = i});
    heap.object(i + 1, 16 + 8 * i);
  }
  const auto tiles = heap.count(table, 4096, 20);
  REQUIRE(tiles.size() == ClassTiles::kMostClasses);
  for (std::uint32_t i = 0; i < tiles.size(); ++i) CHECK(tiles[i].class_index == 19 - i);
}

TEST_CASE("a heap has a few thousand tiles, and none is tiny") {
  CHECK(ClassTiles::tile_bytes_of(0) == 16 << 10);
  CHECK(ClassTiles::tile_bytes_of(std::uint64_t{4} << 30) == 2 << 20);
}

}  // namespace ddm
