#include "heap/walk/class_tiles.h"

#include <algorithm>
#include <bit>

namespace ddm {
namespace {

constexpr std::uint64_t kTiles = 4096;
constexpr std::uint64_t kLeastTile = std::uint64_t{16} << 10;

}  // namespace

std::uint64_t ClassTiles::tile_bytes_of(std::uint64_t heap_bytes) {
  return std::max(kLeastTile, std::bit_ceil(heap_bytes / kTiles + 1));
}

ClassTiles::ClassTiles(const ObjectLayout& layout, const KlassTable& table,
                       std::uint64_t tile_bytes, std::size_t classes, std::size_t most)
    : layout_(layout), table_(table), tile_bytes_(tile_bytes), sums_(classes) {
  touched_.reserve(classes);
  tiles_.reserve(most * kMostClasses);
}

void ClassTiles::count(const HeapMap& map, std::span<const HeapArea> areas,
                       std::uintptr_t base) noexcept {
  for (const HeapArea& area : areas) {
    std::uint64_t tile = area.position / tile_bytes_;
    map.for_each_run_of(area, [&](std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
      if (position / tile_bytes_ != tile) {
        end_tile(tile);
        tile = position / tile_bytes_;
      }
      if (!is_object(state)) return;
      const KlassCell* const cell = table_.find(key_at(layout_, base + position));
      if (cell != nullptr) add(cell->number, bytes);
    });
    end_tile(tile);
  }
}

void ClassTiles::add(std::uint32_t number, std::uint64_t bytes) noexcept {
  if (number >= sums_.size()) return;  // a class loaded after the table was read
  Sum& sum = sums_[number];
  if (sum.objects == 0) touched_.push_back(number);
  ++sum.objects;
  sum.bytes += bytes;
}

void ClassTiles::end_tile(std::uint64_t tile) noexcept {
  const auto wider = [this](std::uint32_t a, std::uint32_t b) {
    return sums_[a].bytes > sums_[b].bytes;
  };
  const std::size_t kept = std::min(touched_.size(), kMostClasses);
  std::partial_sort(touched_.begin(), touched_.begin() + static_cast<std::ptrdiff_t>(kept),
                    touched_.end(), wider);
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    Sum& sum = sums_[touched_[i]];
    if (i < kept && tiles_.size() < tiles_.capacity()) {
      tiles_.push_back({tile * tile_bytes_, touched_[i], sum.objects, sum.bytes});
    }
    sum = {};
  }
  touched_.clear();
}

}  // namespace ddm
