// Reader of HotSpot's exported vmStructs: where the VM keeps a field, checked, never assumed.
//
// The tables are exported for the serviceability agent (vmStructs.cpp) and exist in every HotSpot
// build; names and offsets differ between releases. A missing entry is an empty optional and the
// caller falls back.
#pragma once

#include <cstdint>
#include <optional>

namespace ddm::vm_structs {

// Offset of an instance field in its type.
std::optional<std::int64_t> offset_of(const char* type, const char* field);

// Address of a static field.
std::optional<std::uintptr_t> address_of(const char* type, const char* field);

// Constants, and sizeof of the VM's types.
std::optional<std::int32_t> int_constant(const char* name);
std::optional<std::uint64_t> long_constant(const char* name);
std::optional<std::uint64_t> size_of(const char* type);

}  // namespace ddm::vm_structs
