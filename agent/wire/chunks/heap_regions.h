// HPRG: the roles of the Java heap's regions, and the classes by address. A DDM extension.
//
//   request   u1 what: 0 none, 1 regions, 2 regions and classes
//
// From then on each map of the Java heap that is sent to this server (HPST ... HPEN) contains the
// chunks HPRG and, with 2, HPCL, right after HPST. They are of the same moment as the map.
//
//   HPRG   u4 count; each: u8 position, u8 bytes, u8 used, u1 role
//   HPCL   u8 bytes of a tile; u4 count, each: str class;
//          u4 count, each: u8 position, u4 class (index in the list), u4 objects, u8 bytes
//
// Positions are as in the map, bytes from the heap's base; where the map's are synthetic (ZGC), those
// of the pages. A humongous object's regions are listed one by one; the unused part of the last is not
// usable by other objects. HPCL has only the largest classes of each tile.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

inline constexpr std::string_view kHeapRegionsFeature = "heap-regions";  // in FEAT

enum class RegionRole : std::uint8_t {
  kUnknown = 0,
  kFree = 1,
  kEden = 2,
  kSurvivor = 3,
  kOld = 4,
  kHumongous = 5,
  kArchive = 6,  // of the class data archive
  kWhole = 7,    // a heap of one space
  kSmallPage = 8,
  kMediumPage = 9,
  kLargePage = 10,
};

constexpr std::string_view name_of(RegionRole role) {
  constexpr std::string_view kNames[] = {"unknown",    "free",        "eden",      "survivor",
                                         "old",        "humongous",   "archive",   "whole",
                                         "small page", "medium page", "large page"};
  const auto index = static_cast<std::size_t>(role);
  return index < std::size(kNames) ? kNames[index] : kNames[0];
}

struct HeapRegion {
  std::uint64_t position = 0;
  std::uint64_t bytes = 0;
  std::uint64_t used = 0;  // by live and dead objects
  RegionRole role = RegionRole::kUnknown;

  static constexpr auto kFields =
      std::tuple(&HeapRegion::position, &HeapRegion::bytes, &HeapRegion::used, &HeapRegion::role);
};

enum class RegionDetail : std::uint8_t { kNone = 0, kRegions = 1, kClasses = 2 };

// HPRG, the request.
struct HeapRegionsRequest {
  static constexpr ChunkType kType = chunk_type("HPRG");
  RegionDetail detail = RegionDetail::kNone;

  static constexpr auto kFields =
      std::tuple(UpTo{&HeapRegionsRequest::detail, RegionDetail::kClasses});
};

// HPRG, the event.
struct HeapRegions {
  static constexpr ChunkType kType = chunk_type("HPRG");
  std::vector<HeapRegion> regions;

  static constexpr auto kFields = std::tuple(&HeapRegions::regions);
};

// The objects of one class that begin in a tile.
struct TileClass {
  std::uint64_t position = 0;  // of the tile
  std::uint32_t class_index = 0;
  std::uint32_t objects = 0;
  std::uint64_t bytes = 0;

  static constexpr auto kFields = std::tuple(&TileClass::position, &TileClass::class_index,
                                             &TileClass::objects, &TileClass::bytes);
};

struct HeapClasses {
  static constexpr ChunkType kType = chunk_type("HPCL");
  std::uint64_t tile_bytes = 0;
  std::vector<std::string> classes;
  std::vector<TileClass> tiles;

  static constexpr auto kFields =
      std::tuple(&HeapClasses::tile_bytes, &HeapClasses::classes, &HeapClasses::tiles);
};

}  // namespace ddm
