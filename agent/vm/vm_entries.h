// Reads what a feature needs from the VM's tables, and tells the first thing that is missing: asked
// for once, at the end, instead of at every entry.
//
// Entries are looked up under the names that they have in one release or another. What an address
// of the tables holds is read so that a wrong one is a wrong claim, and no SIGSEGV.
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

  // Of an instance field in its type. 0 when it is missing.
  std::uint32_t offset(Names names);
  // Of a static field. 0 when it is missing.
  std::uintptr_t address(Names names);
  // Of a static field.
  template <typename T>
  T value(Names names) {
    const std::uintptr_t at = address(names);
    return at != 0 ? read<T>(at, names.begin()->second) : T{};
  }
  std::int32_t constant(std::initializer_list<const char*> names);
  std::uint32_t size(const char* type);

  // "" when nothing is.
  const std::string& missing() const { return wrong(); }

 private:
  std::uintptr_t miss(const char* type, const char* field);
};

}  // namespace ddm
