#include "jvm/vm_flags.h"

#include <cstring>

#include "jvm/vm_structs.h"

namespace ddm::vm_flags {
namespace {

template <typename T>
T read(std::uintptr_t at) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(at), sizeof value);
  return value;
}

// Where the flag's value lies, or 0.
std::uintptr_t find(const char* name) {
  const auto flags = vm_structs::address_of("JVMFlag", "flags");
  const auto count = vm_structs::address_of("JVMFlag", "numFlags");
  const auto name_offset = vm_structs::offset_of("JVMFlag", "_name");
  const auto value_offset = vm_structs::offset_of("JVMFlag", "_addr");
  const auto stride = vm_structs::size_of("JVMFlag");
  if (!flags || !count || !name_offset || !value_offset || !stride) return 0;
  auto flag = read<std::uintptr_t>(*flags);
  for (auto left = read<std::uint64_t>(*count); left > 0; --left, flag += *stride) {
    const char* flag_name = read<const char*>(flag + static_cast<std::uintptr_t>(*name_offset));
    if (flag_name != nullptr && std::strcmp(flag_name, name) == 0) {
      return read<std::uintptr_t>(flag + static_cast<std::uintptr_t>(*value_offset));
    }
  }
  return 0;
}

}  // namespace

std::optional<bool> boolean(const char* name) {
  const std::uintptr_t value = find(name);
  if (value == 0) return std::nullopt;
  return read<std::uint8_t>(value) != 0;
}

std::optional<std::int32_t> integer(const char* name) {
  const std::uintptr_t value = find(name);
  if (value == 0) return std::nullopt;
  return read<std::int32_t>(value);
}

}  // namespace ddm::vm_flags
