#include "heap/walk/heap_map.h"

#include <algorithm>

namespace ddm {

void HeapMap::complete() {
  sort_areas();
  objects_ = committed_ = 0;
  for_each_run([this](std::uint64_t, std::uint64_t bytes, std::uint8_t state) {
    committed_ += bytes;
    if (is_object(state)) ++objects_;
  });
  complete_regions();
}

// Regions and runs are both in order of address, and a run may span several regions.
void HeapMap::complete_regions() {
  if (!true_addresses) return;
  std::ranges::sort(regions, {}, &HeapRegion::position);
  std::vector<std::uint64_t> covered(regions.size());
  std::size_t first = 0;
  for_each_run([&](std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
    const std::uint64_t end = position + bytes;
    while (first < regions.size() && regions[first].position + regions[first].bytes <= position) {
      ++first;
    }
    for (std::size_t i = first; i < regions.size() && regions[i].position < end; ++i) {
      const std::uint64_t part = std::min(end, regions[i].position + regions[i].bytes) -
                                 std::max(position, regions[i].position);
      covered[i] += part;
      if (solidity_of(state) != Solidity::kFree) regions[i].used += part;
    }
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    if (covered[i] != 0) regions[kept++] = regions[i];
  }
  regions.resize(kept);
}

void split_humongous(HeapMap& map, std::uint64_t region_bytes) {
  if (region_bytes == 0) return;
  std::vector<HeapRegion> split;
  for (const HeapRegion& region : map.regions) {
    if (region.role != RegionRole::kHumongous || region.bytes % region_bytes != 0) {
      split.push_back(region);
      continue;
    }
    for (std::uint64_t at = 0; at < region.bytes; at += region_bytes) {
      split.push_back({region.position + at, region_bytes, 0, region.role});
    }
  }
  map.regions = std::move(split);
}

std::size_t HeapMap::log_bytes() const {
  std::size_t sum = 0;
  for (const RunLog& log : logs) sum += log.size();
  return sum;
}

void HeapMap::write(HeapMapWriter& writer, bool merge) const {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint8_t last = 0;
  for_each_run([&](std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
    if ((merge || state == kFreeState) && position == end && state == last) {
      end += bytes;
      return;
    }
    writer.add(begin, end - begin, last);
    begin = position;
    end = position + bytes;
    last = state;
  });
  writer.add(begin, end - begin, last);
  writer.finish();
}

}  // namespace ddm
