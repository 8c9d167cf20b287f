#include "heap/region_roles.h"

#include <bit>

#include "core/log.h"
#include "vm/vm_entries.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

constexpr std::uint64_t kLeastRegion = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostRegion = std::uint64_t{512} << 20;

// The archive bit, before JDK 22 (JDK-8314157 and related changes); else 0.
std::uint32_t bit_of_archives() {
  const auto bit = vm_structs::int_constant("HeapRegionType::ArchiveMask");
  return bit ? static_cast<std::uint32_t>(*bit) : 0;
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

RegionRoles RegionRoles::detect() {
  VmEntries entries;
  const auto number = [&entries](const char* now, const char* before) {
    return static_cast<std::uint32_t>(entries.constant({now, before}));
  };
  const std::uint32_t young = number("G1HeapRegionType::YoungMask", "HeapRegionType::YoungMask");
  const std::uint32_t humongous_bit =
      number("G1HeapRegionType::HumongousMask", "HeapRegionType::HumongousMask");
  RegionRoles roles;
  roles.eden = number("G1HeapRegionType::EdenTag", "HeapRegionType::EdenTag");
  roles.survivor = number("G1HeapRegionType::SurvTag", "HeapRegionType::SurvTag");
  roles.humongous =
      number("G1HeapRegionType::StartsHumongousTag", "HeapRegionType::StartsHumongousTag");
  roles.old_bit = number("G1HeapRegionType::OldMask", "HeapRegionType::OldMask");
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

std::uint64_t g1_region_bytes() {
  VmEntries entries;
  const auto bytes =
      entries.value<std::uint64_t>({{"G1HeapRegion", "GrainBytes"}, {"HeapRegion", "GrainBytes"}});
  const bool good =
      entries.hold() && std::has_single_bit(bytes) && bytes >= kLeastRegion && bytes <= kMostRegion;
  return good ? bytes : 0;
}

}  // namespace ddm
