#include "heap/walk/heap_map.h"

#include <catch2/catch.hpp>

#include "heap_states.h"

namespace ddm {
namespace {

struct Area {
  std::uint64_t position;
  std::vector<std::pair<std::uint8_t, std::uint64_t>> runs;  // state, bytes
};

HeapMap map_of(const std::vector<Area>& areas) {
  HeapMap map;
  map.logs.push_back(std::move(*RunLog::reserve(1 << 16)));
  for (const Area& area : areas) {
    map.areas.push_back({area.position, 0, 0, map.logs[0].size(), false});
    for (const auto& [state, bytes] : area.runs) {
      map.logs[0].add(state, bytes);
      map.areas.back().bytes += bytes;
    }
  }
  map.complete();
  return map;
}

std::vector<HeapSegment> segments_of(const HeapMap& map, ChunkType type) {
  std::vector<HeapSegment> segments;
  HeapMapWriter writer(type, 8, [&](Chunk chunk) {
    CHECK(chunk.type == type);
    segments.push_back(*decode<HeapSegment>(chunk.data));
  });
  map.write(writer, type == kMergedSegment);
  return segments;
}

}  // namespace

TEST_CASE("Lengths of any size come back out of the log") {
  RunLog log = std::move(*RunLog::reserve(1 << 16));
  const std::uint64_t lengths[] = {8, 2040, 2048, 2056, std::uint64_t{1} << 40};
  for (const std::uint64_t bytes : lengths) log.add(7, bytes);
  std::size_t at = 0;
  for (const std::uint64_t bytes : lengths) {
    const RunLog::Entry entry = log.read(at);
    CHECK(entry.state == 7);
    CHECK(entry.bytes == bytes);
  }
  CHECK(at == log.size());
}

TEST_CASE("A full log says so and stays within its bounds") {
  RunLog log = std::move(*RunLog::reserve(1));
  for (int i = 0; i < 1 << 20; ++i) log.add(1, 8);
  CHECK(log.full());
  CHECK(log.size() <= 64 << 10);
}

TEST_CASE("A map counts objects and bytes, and what is free is no object") {
  const HeapMap map = map_of({{4096, {{kObjectState, 16}, {kObjectState, 24}, {kFreeState, 88}}},
                              {0, {{kBytesState, 4000}}}});
  CHECK(map.objects() == 3);
  CHECK(map.committed_bytes() == 4128);
}

TEST_CASE("Areas come in the order of addresses, and those next to one another are one segment") {
  const HeapMap map = map_of({{128, {{kObjectState, 64}}},
                              {4096, {{kBytesState, 80}}},
                              {0, {{kObjectState, 64}, {kFreeState, 64}}}});
  const auto segments = segments_of(map, kMergedSegment);
  REQUIRE(segments.size() == 2);
  CHECK(segments[0].start == 0);
  CHECK(segments[0].runs() ==
        std::vector<HeapRun>{{kObjectState, 8}, {kFreeState, 8}, {kObjectState, 8}});
  CHECK(segments[1].start == 4096);
  CHECK(segments[1].units == 10);
}

TEST_CASE(
    "HPSG joins objects of a kind, HPSO keeps them apart; free space is one stretch in both") {
  const HeapMap map = map_of({{0,
                               {{kObjectState, 16},
                                {kObjectState, 16},
                                {kFreeState, 24},
                                {kFreeState, 8},
                                {kObjectState, 16}}}});
  CHECK(segments_of(map, kMergedSegment)[0].runs() ==
        std::vector<HeapRun>{{kObjectState, 4}, {kFreeState, 4}, {kObjectState, 2}});
  CHECK(segments_of(map, kObjectSegment)[0].runs() ==
        std::vector<HeapRun>{
            {kObjectState, 2}, {kObjectState, 2}, {kFreeState, 4}, {kObjectState, 2}});
}

TEST_CASE("An area taken out leaves a gap and nothing else") {
  HeapMap map =
      map_of({{0, {{kObjectState, 64}}}, {64, {{kFreeState, 64}}}, {128, {{kObjectState, 64}}}});
  map.areas.erase(map.areas.begin() + 1);
  map.complete();
  CHECK(map.committed_bytes() == 128);
  const auto segments = segments_of(map, kMergedSegment);
  REQUIRE(segments.size() == 2);
  CHECK(segments[1].start == 128);
}

TEST_CASE("An empty map has no segments") {
  CHECK(segments_of(map_of({}), kMergedSegment).empty());
}

TEST_CASE("a humongous object's regions come one by one, and what is used of each") {
  constexpr std::uint64_t kRegion = 1 << 20;
  HeapMap map;
  map.logs.push_back(std::move(*RunLog::reserve(1 << 16)));
  const auto area = [&map](std::uint64_t position, std::uint64_t used, std::uint64_t all) {
    map.areas.push_back({position, all, 0, map.logs[0].size(), used == 0});
    if (used != 0) map.logs[0].add(kBytesState, used);
    map.logs[0].add(kFreeState, all - used);
  };
  area(0, 5000, kRegion);
  area(kRegion, 2 * kRegion + 800, 3 * kRegion);
  map.regions = {{kRegion, 3 * kRegion, 0, RegionRole::kHumongous},
                 {0, kRegion, 0, RegionRole::kEden},
                 {4 * kRegion, kRegion, 0, RegionRole::kFree}};  // given back: not in the map
  split_humongous(map, kRegion);
  map.complete();
  CHECK(map.regions ==
        std::vector<HeapRegion>{{0, kRegion, 5000, RegionRole::kEden},
                                {kRegion, kRegion, kRegion, RegionRole::kHumongous},
                                {2 * kRegion, kRegion, kRegion, RegionRole::kHumongous},
                                {3 * kRegion, kRegion, 800, RegionRole::kHumongous}});
}

}  // namespace ddm
