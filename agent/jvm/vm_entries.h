// Reads what a feature needs from the VM's tables, and tells the first thing that is missing: asked
// for once, at the end, instead of at every entry.
//
// Entries are looked up under the names that they have in one release or another.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>

namespace ddm {

class VmEntries {
 public:
  using Names = std::initializer_list<std::pair<const char*, const char*>>;

  // Of an instance field in its type. 0 when it is missing.
  std::uint32_t offset(Names names);
  // Of a static field. 0 when it is missing.
  std::uintptr_t address(Names names);
  // Of a static field.
  template <typename T>
  T value(Names names) {
    T result{};
    if (const std::uintptr_t at = address(names)) {
      std::memcpy(&result, reinterpret_cast<const void*>(at), sizeof result);
    }
    return result;
  }
  std::int32_t constant(std::initializer_list<const char*> names);
  std::uint32_t size(const char* type);

  // A condition that the code relies on.
  void expect(bool holds, const char* what) {
    if (!holds && missing_.empty()) missing_ = what;
  }

  // "" when nothing is.
  const std::string& missing() const { return missing_; }

 private:
  std::uintptr_t miss(const char* type, const char* field);

  std::string missing_;
};

}  // namespace ddm
