// Reads several entries of the VM's tables and remembers the first missing one, so the caller
// checks once at the end instead of at every entry.
//
// Entries are looked up under the names of all supported releases. Addresses from the tables are
// dereferenced safely: a wrong one is a wrong claim, not a SIGSEGV.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>

#include "vm/memory/vm_claims.h"

namespace ddm {

class VmEntries : public VmClaims {
 public:
  using Names = std::initializer_list<std::pair<const char*, const char*>>;

  // Offset of an instance field in its type. 0: missing.
  std::uint32_t offset(Names names);
  // Address of a static field. 0: missing.
  std::uintptr_t address(Names names);
  // Value of a static field.
  template <typename T>
  T value(Names names) {
    const std::uintptr_t at = address(names);
    return at != 0 ? read<T>(at, names.begin()->second) : T{};
  }
  std::int32_t constant(std::initializer_list<const char*> names);
  std::uint32_t size(const char* type);

 private:
  std::uintptr_t miss(const char* type, const char* field);
};

}  // namespace ddm
