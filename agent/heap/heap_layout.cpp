#include "heap/heap_layout.h"

#include <bit>
#include <utility>

#include "core/log.h"
#include "vm/vm_entries.h"
#include "vm/vm_flags.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

Result<Collector> collector_in_use() {
  constexpr std::pair<const char*, Collector> kFlags[] = {{"UseG1GC", Collector::kG1},
                                                          {"UseSerialGC", Collector::kSerial},
                                                          {"UseParallelGC", Collector::kParallel},
                                                          {"UseEpsilonGC", Collector::kEpsilon}};
  for (const auto& [flag, collector] : kFlags) {
    if (vm_flags::boolean(flag).value_or(false)) return collector;
  }
  if (!vm_flags::boolean("UseSerialGC")) return Error{"this VM's flags cannot be read"};
  return Error{"the collector is none of G1, Serial, Parallel, Epsilon"};
}

// The layout of the VM's ContiguousSpace.
SpaceLayout contiguous_spaces(VmEntries& entries, std::vector<SpaceLayout::Place> places) {
  return {std::move(places), entries.offset({{"ContiguousSpace", "_bottom"}, {"Space", "_bottom"}}),
          entries.offset({{"ContiguousSpace", "_top"}}),
          entries.offset({{"ContiguousSpace", "_end"}, {"Space", "_end"}})};
}

SpaceLayout epsilon_space(VmEntries& entries, std::uintptr_t heap) {
  return contiguous_spaces(
      entries, {{heap + entries.offset({{"EpsilonHeap", "_space"}}), RegionRole::kWhole}});
}

SpaceLayout serial_spaces(VmEntries& entries, std::uintptr_t heap) {
  const auto young = entries.read<std::uintptr_t>(
      heap + entries.offset({{"SerialHeap", "_young_gen"}, {"GenCollectedHeap", "_young_gen"}}),
      "SerialHeap::_young_gen");
  const auto old = entries.read<std::uintptr_t>(
      heap + entries.offset({{"SerialHeap", "_old_gen"}, {"GenCollectedHeap", "_old_gen"}}),
      "SerialHeap::_old_gen");
  return contiguous_spaces(
      entries,
      {{young + entries.offset({{"DefNewGeneration", "_eden_space"}}), RegionRole::kEden},
       {young + entries.offset({{"DefNewGeneration", "_from_space"}}), RegionRole::kSurvivor},
       {young + entries.offset({{"DefNewGeneration", "_to_space"}}), RegionRole::kSurvivor},
       {old + entries.offset({{"TenuredGeneration", "_the_space"}}), RegionRole::kOld}});
}

// A static field of the heap's class before JDK 27, an instance field since.
std::uintptr_t parallel_generation(VmEntries& entries, std::uintptr_t heap, const char* field) {
  constexpr const char* kHeap = "ParallelScavengeHeap";
  return vm_structs::address_of(kHeap, field)
             ? entries.value<std::uintptr_t>({{kHeap, field}})
             : entries.read<std::uintptr_t>(heap + entries.offset({{kHeap, field}}), field);
}

SpaceLayout parallel_spaces(VmEntries& entries, std::uintptr_t heap) {
  const std::uintptr_t young = parallel_generation(entries, heap, "_young_gen");
  const std::uintptr_t old = parallel_generation(entries, heap, "_old_gen");
  return {{{young + entries.offset({{"PSYoungGen", "_eden_space"}}), RegionRole::kEden},
           {young + entries.offset({{"PSYoungGen", "_from_space"}}), RegionRole::kSurvivor},
           {young + entries.offset({{"PSYoungGen", "_to_space"}}), RegionRole::kSurvivor},
           {old + entries.offset({{"PSOldGen", "_object_space"}}), RegionRole::kOld}},
          entries.offset({{"MutableSpace", "_bottom"}}),
          entries.offset({{"MutableSpace", "_top"}}),
          entries.offset({{"MutableSpace", "_end"}})};
}

constexpr std::uint64_t kLeastRegion = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostRegion = std::uint64_t{512} << 20;

// The archive bit, before JDK 22 (JDK-8314157 and related changes); else 0.
std::uint32_t bit_of_archives() {
  const auto bit = vm_structs::int_constant("HeapRegionType::ArchiveMask");
  return bit ? static_cast<std::uint32_t>(*bit) : 0;
}

// The name begins with G1, which it has not in older VMs.
std::uint32_t region_constant(VmEntries& entries, const char* name) {
  return static_cast<std::uint32_t>(entries.constant({name, name + 2}));
}

// Without the relations of RegionRoles all roles are kUnknown, which is logged.
RegionRoles region_roles() {
  VmEntries entries;
  const std::uint32_t young = region_constant(entries, "G1HeapRegionType::YoungMask");
  const std::uint32_t humongous_bit = region_constant(entries, "G1HeapRegionType::HumongousMask");
  RegionRoles roles;
  roles.eden = region_constant(entries, "G1HeapRegionType::EdenTag");
  roles.survivor = region_constant(entries, "G1HeapRegionType::SurvTag");
  roles.humongous = region_constant(entries, "G1HeapRegionType::StartsHumongousTag");
  roles.old_bit = region_constant(entries, "G1HeapRegionType::OldMask");
  roles.archive_bit = bit_of_archives();
  const std::uint32_t others = young | humongous_bit;
  entries.expect(std::has_single_bit(young) && roles.eden == young, "HeapRegionType::EdenTag");
  entries.expect(roles.survivor == young + 1, "HeapRegionType::SurvTag");
  entries.expect(std::has_single_bit(humongous_bit) && (young & humongous_bit) == 0 &&
                     (roles.humongous & humongous_bit) != 0,
                 "HeapRegionType::StartsHumongousTag");
  entries.expect(std::has_single_bit(roles.old_bit) && (roles.old_bit & others) == 0 &&
                     (roles.old_bit & roles.humongous) == 0,
                 "HeapRegionType::OldMask");
  if (entries.hold()) return roles;
  log_warn("heap map: what regions are for is not told: {} is not as this VM's tables say",
           entries.wrong());
  return {};
}

// 0: unknown.
std::uint64_t g1_region_bytes() {
  VmEntries entries;
  const auto bytes =
      entries.value<std::uint64_t>({{"G1HeapRegion", "GrainBytes"}, {"HeapRegion", "GrainBytes"}});
  const bool good =
      entries.hold() && std::has_single_bit(bytes) && bytes >= kLeastRegion && bytes <= kMostRegion;
  return good ? bytes : 0;
}

RegionLayout g1_regions(VmEntries& entries, std::uintptr_t heap) {
  const std::uintptr_t manager = heap + entries.offset({{"G1CollectedHeap", "_hrm"}});
  const std::uintptr_t table = manager + entries.offset({{"G1HeapRegionManager", "_regions"},
                                                         {"HeapRegionManager", "_regions"}});
  RegionLayout layout;
  layout.table = table + entries.offset({{"G1HeapRegionTable", "_base"}});
  layout.length = table + entries.offset({{"G1HeapRegionTable", "_length"}});
  const auto field = [&entries](const char* name) {
    return entries.offset({{"G1HeapRegion", name}, {"HeapRegion", name}});
  };
  layout.bottom = field("_bottom");
  layout.top = field("_top");
  layout.end = field("_end");
  layout.type =
      field("_type") + entries.offset({{"G1HeapRegionType", "_tag"}, {"HeapRegionType", "_tag"}});
  layout.free_tag = region_constant(entries, "G1HeapRegionType::FreeTag");
  layout.humongous_tag = region_constant(entries, "G1HeapRegionType::StartsHumongousTag");
  layout.continues_tag = region_constant(entries, "G1HeapRegionType::ContinuesHumongousTag");
  return layout;
}

}  // namespace

RegionRole RegionRoles::of(std::uint32_t type) const noexcept {
  if (eden == 0) return RegionRole::kUnknown;
  if (type == 0) return RegionRole::kFree;
  if (type == eden) return RegionRole::kEden;
  if (type == survivor) return RegionRole::kSurvivor;
  if (type == humongous || type == humongous + 1) return RegionRole::kHumongous;
  if ((type & old_bit) != 0) return RegionRole::kOld;
  if ((type & archive_bit) != 0) return RegionRole::kArchive;
  return RegionRole::kUnknown;
}

Result<HeapLayout> HeapLayout::detect() {
  const auto collector = collector_in_use();
  if (!collector) return collector.error();
  HeapLayout layout;
  layout.collector = *collector;
  VmEntries entries;
  const auto heap = entries.value<std::uintptr_t>({{"Universe", "_collectedHeap"}});
  const std::uint32_t reserved = entries.offset({{"CollectedHeap", "_reserved"}});
  const std::uint32_t start = entries.offset({{"MemRegion", "_start"}});
  const std::uint32_t words = entries.offset({{"MemRegion", "_word_size"}});
  layout.objects = detect_object_layout(entries);
  layout.klasses = detect_klass_layout(entries);
  // Addresses are dereferenced from here on, so no entry may be missing.
  if (entries.hold() && heap != 0) {
    layout.base = entries.read<std::uintptr_t>(heap + reserved + start, "MemRegion::_start");
    layout.reserved_bytes =
        8 * entries.read<std::uint64_t>(heap + reserved + words, "MemRegion::_word_size");
    if (*collector == Collector::kG1) layout.regions = g1_regions(entries, heap);
    if (*collector == Collector::kSerial) layout.spaces = serial_spaces(entries, heap);
    if (*collector == Collector::kParallel) layout.spaces = parallel_spaces(entries, heap);
    if (*collector == Collector::kEpsilon) layout.spaces = epsilon_space(entries, heap);
  }
  entries.expect(heap != 0 && layout.base != 0 && layout.reserved_bytes != 0,
                 "a reserved heap in CollectedHeap::_reserved");
  if (!entries.hold()) return Error{"this VM does not tell of " + entries.wrong()};
  if (*collector == Collector::kG1) {
    layout.regions.roles = region_roles();
    layout.regions.bytes = g1_region_bytes();
  }
  return layout;
}

}  // namespace ddm
