#include "heap/z_pages.h"

#include <bit>

#include "core/own_memory.h"
#include "vm/vm_entries.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// Not those of the older of the two ZGCs of JDK 21 to 23, whose tables have other names.
struct PageLayout {
  std::uintptr_t table = 0;    // of page pointers
  std::uint64_t granules = 0;  // entries of the table
  std::uint32_t granule_shift = 0;
  std::uint32_t type = 0, start = 0, end = 0, top = 0;  // offsets in a page
  bool end_is_size = false;
};

std::uint64_t highest_offset(VmEntries& entries) {
  const auto globals = entries.value<std::uintptr_t>({{"ZGlobalsForVMStructs", "_instance_p"}});
  const std::uint32_t mask = entries.offset({{"ZGlobalsForVMStructs", "_ZAddressOffsetMask"}});
  if (globals == 0) return 0;
  const auto at = entries.read<std::uintptr_t>(globals + mask, "_ZAddressOffsetMask");
  return at == 0 ? 0 : entries.read<std::uint64_t>(at, "_ZAddressOffsetMask");
}

PageLayout page_layout(VmEntries& entries) {
  PageLayout layout;
  const auto heap = entries.value<std::uintptr_t>({{"Universe", "_collectedHeap"}});
  const std::uint64_t to_table = std::uint64_t{entries.offset({{"ZCollectedHeap", "_heap"}})} +
                                 entries.offset({{"ZHeap", "_page_table"}}) +
                                 entries.offset({{"ZPageTable", "_map"}}) +
                                 entries.offset({{"ZGranuleMapForPageTable", "_map"}});
  const auto shift = vm_structs::long_constant("ZGranuleSizeShift");
  layout.granule_shift = static_cast<std::uint32_t>(shift.value_or(0));
  layout.type = entries.offset({{"ZPage", "_type"}});
  const std::uint32_t memory = entries.offset({{"ZPage", "_virtual"}});
  layout.start = memory + entries.offset({{"ZVirtualMemory", "_start"}});
  layout.end_is_size = vm_structs::offset_of("ZVirtualMemory", "_size").has_value();
  layout.end = memory + entries.offset({{"ZVirtualMemory", "_end"}, {"ZVirtualMemory", "_size"}});
  layout.top = entries.offset({{"ZPage", "_top"}});
  const std::uint64_t mask = highest_offset(entries);
  entries.expect(layout.granule_shift >= 16 && layout.granule_shift <= 30, "ZGranuleSizeShift");
  constexpr int kMostBits = 48;
  entries.expect(mask != 0 && std::has_single_bit(mask + 1) && std::bit_width(mask) <= kMostBits,
                 "_ZAddressOffsetMask");
  if (!entries.hold()) return layout;
  layout.granules = (mask + 1) >> layout.granule_shift;
  // The table's length precedes it; in newer VMs the table is shorter than the address space.
  const auto length = entries.read<std::uint64_t>(heap + to_table - sizeof(std::uint64_t),
                                                  "ZGranuleMapForPageTable::_size");
  entries.expect(length != 0 && length <= layout.granules, "ZGranuleMapForPageTable::_size");
  layout.granules = length;
  layout.table = entries.read<std::uintptr_t>(heap + to_table, "ZGranuleMapForPageTable::_map");
  entries.expect(layout.table != 0 && layout.table % sizeof(std::uintptr_t) == 0,
                 "ZGranuleMapForPageTable::_map");
  return layout;
}

// nullopt: no page begins there.
std::optional<HeapRegion> page_at(const PageLayout& layout, std::uintptr_t page,
                                  std::uint64_t granule) {
  const auto type = read_own<std::uint8_t>(page + layout.type);
  const auto start = read_own<std::uint64_t>(page + layout.start);
  const auto end_word = read_own<std::uint64_t>(page + layout.end);
  const auto top = read_own<std::uint64_t>(page + layout.top);
  if (!type || !start || !end_word || !top) return {};
  const std::uint64_t end = *end_word + (layout.end_is_size ? *start : 0);
  constexpr RegionRole kRoles[] = {RegionRole::kSmallPage, RegionRole::kMediumPage,
                                   RegionRole::kLargePage};
  const std::uint64_t last = layout.granules << layout.granule_shift;
  const std::uint64_t within = (std::uint64_t{1} << layout.granule_shift) - 1;
  if (*type >= std::size(kRoles) || *start != granule << layout.granule_shift || end <= *start ||
      end > last || (end & within) != 0 || *top < *start || *top > end) {
    return {};
  }
  return HeapRegion{*start, end - *start, *top - *start, kRoles[*type]};
}

}  // namespace

Result<std::vector<HeapRegion>> read_z_pages(std::uint64_t heap_bytes) {
  VmEntries entries;
  const PageLayout layout = page_layout(entries);
  if (!entries.hold()) return Error{entries.wrong()};
  std::vector<HeapRegion> pages;
  std::uint64_t sum = 0, odd = 0;
  MemoryWindow table;
  for (std::uint64_t granule = 0; granule < layout.granules;) {
    const auto page = table.read<std::uintptr_t>(layout.table + granule * sizeof(std::uintptr_t));
    if (!page) return Error{"ZGranuleMapForPageTable::_map"};
    if (*page == 0) {
      ++granule;
      continue;
    }
    const auto region = page_at(layout, *page, granule);
    if (!region) {  // the continuation of a page that was freed meanwhile
      ++odd;
      ++granule;
      continue;
    }
    pages.push_back(*region);
    sum += region->bytes;
    granule += region->bytes >> layout.granule_shift;
  }
  if (pages.empty() || sum > heap_bytes || odd > pages.size()) return Error{"ZPage::_virtual"};
  return pages;
}

}  // namespace ddm
