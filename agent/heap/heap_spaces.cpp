#include "heap/heap_spaces.h"

#include <initializer_list>

#include "vm/memory/vm_claims.h"

namespace ddm {
namespace {

constexpr std::uint64_t kMostRegions = 1 << 20;

bool plausible(const HeapLayout& layout, const HeapSpace& space) noexcept {
  return space.bottom >= layout.base && space.bottom <= space.top && space.top <= space.limit &&
         space.limit <= space.end && space.end - layout.base <= layout.reserved_bytes &&
         space.bottom % 8 == 0 && space.top % 8 == 0 && space.end % 8 == 0;
}

bool read_contiguous(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept {
  const SpaceLayout& where = layout.spaces;
  for (const auto& [pointer, role] : where.spaces) {
    const auto space = read_at<std::uintptr_t>(pointer);
    if (space == 0 || space % 8 != 0) return false;
    const auto top = read_at<std::uintptr_t>(space + where.top);
    spaces.push_back({read_at<std::uintptr_t>(space + where.bottom), top, top,
                      read_at<std::uintptr_t>(space + where.end), false, role});
    if (!plausible(layout, spaces.back())) return false;
    for (std::size_t i = 0; i + 1 < spaces.size(); ++i) {
      if (spaces.back().bottom < spaces[i].end && spaces[i].bottom < spaces.back().end)
        return false;
    }
  }
  return true;
}

bool read_regions(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept {
  const RegionLayout& where = layout.regions;
  const auto table = read_at<std::uintptr_t>(where.table);
  const auto length = read_at<std::uint64_t>(where.length);
  if (table == 0 || length > spaces.capacity()) return false;
  bool in_humongous = false;  // the last space is humongous and continues
  for (std::uint64_t i = 0; i < length; ++i) {
    const auto region = read_at<std::uintptr_t>(table + 8 * i);
    if (region == 0) {  // was never committed
      in_humongous = false;
      continue;
    }
    const auto type = read_at<std::uint32_t>(region + where.type);
    const auto bottom = read_at<std::uintptr_t>(region + where.bottom);
    const auto top = read_at<std::uintptr_t>(region + where.top);
    const auto end = read_at<std::uintptr_t>(region + where.end);
    if (type == where.continues_tag) {
      if (!in_humongous || spaces.back().end != bottom) return false;
      spaces.back().limit = spaces.back().end = end;
      if (end <= bottom || !plausible(layout, spaces.back())) return false;
      continue;
    }
    const bool free = type == where.free_tag;
    in_humongous = type == where.humongous_tag;
    spaces.push_back(
        {bottom, free ? bottom : top, in_humongous ? end : top, end, free, where.roles.of(type)});
    if (!plausible(layout, spaces.back())) return false;
  }
  return true;
}

}  // namespace

std::string unreadable_in(const HeapLayout& layout) {
  VmClaims claims;
  const auto expect_words =
      [&claims](std::uintptr_t at, std::initializer_list<std::uint32_t> offsets, const char* what) {
        for (const std::uint32_t offset : offsets) claims.read<std::uint64_t>(at + offset, what);
      };
  if (layout.collector != Collector::kG1) {
    const SpaceLayout& where = layout.spaces;
    for (const auto& [pointer, role] : where.spaces) {
      const auto space = claims.read<std::uintptr_t>(pointer, "spaces");
      expect_words(space, {where.bottom, where.top, where.end}, "spaces");
    }
    return claims.wrong();
  }
  const RegionLayout& where = layout.regions;
  const auto table = claims.read<std::uintptr_t>(where.table, "G1HeapRegionTable::_base");
  const auto length = claims.read<std::uint64_t>(where.length, "G1HeapRegionTable::_length");
  claims.expect(length <= kMostRegions, "G1HeapRegionTable::_length");
  for (std::uint64_t i = 0; i < length && claims.hold(); ++i) {
    const auto region = claims.read<std::uintptr_t>(table + 8 * i, "G1HeapRegionTable::_base");
    if (region == 0) continue;
    expect_words(region, {where.type, where.bottom, where.top, where.end}, "G1HeapRegion");
  }
  return claims.wrong();
}

std::size_t max_spaces(const HeapLayout& layout) {
  if (layout.collector != Collector::kG1) return layout.spaces.spaces.size();
  const auto length = read_at<std::uint64_t>(layout.regions.length);
  return length <= kMostRegions ? length : 0;
}

bool read_spaces(const HeapLayout& layout, std::vector<HeapSpace>& spaces) noexcept {
  spaces.clear();
  return layout.collector == Collector::kG1 ? read_regions(layout, spaces)
                                            : read_contiguous(layout, spaces);
}

}  // namespace ddm
