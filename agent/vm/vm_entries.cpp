#include "vm/vm_entries.h"

#include "vm/vm_structs.h"

namespace ddm {

std::uint32_t VmEntries::offset(Names names) {
  constexpr std::int64_t kMostOffset = 1 << 16;
  for (const auto& [type, field] : names) {
    const auto found = vm_structs::offset_of(type, field);
    if (found && *found >= 0 && *found < kMostOffset) return static_cast<std::uint32_t>(*found);
  }
  return static_cast<std::uint32_t>(miss(names.begin()->first, names.begin()->second));
}

std::uintptr_t VmEntries::address(Names names) {
  for (const auto& [type, field] : names) {
    if (const auto found = vm_structs::address_of(type, field)) return *found;
  }
  return miss(names.begin()->first, names.begin()->second);
}

std::int32_t VmEntries::constant(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto found = vm_structs::int_constant(name)) return *found;
  }
  return static_cast<std::int32_t>(miss("constant", *names.begin()));
}

std::uint32_t VmEntries::size(const char* type) {
  const auto found = vm_structs::size_of(type);
  return static_cast<std::uint32_t>(found ? *found : miss("size", type));
}

std::uintptr_t VmEntries::miss(const char* type, const char* field) {
  if (wrong_.empty()) wrong_ = std::string(type) + "::" + field;
  return 0;
}

}  // namespace ddm
