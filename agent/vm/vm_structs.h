// Reader of HotSpot's exported vmStructs, which describe the VM's internal layout.
//
// The tables exist in every HotSpot build, for the serviceability agent (vmStructs.cpp); names and
// offsets differ between releases. A missing entry is an empty optional, and the caller falls back.
#pragma once

#include <cstdint>
#include <optional>

namespace ddm::vm_structs {

// Offset of an instance field in its type; none if it lies outside of the type.
std::optional<std::int64_t> offset_of(const char* type, const char* field);

// Address of a static field.
std::optional<std::uintptr_t> address_of(const char* type, const char* field);

// Constants, and sizes of VM types.
std::optional<std::int32_t> int_constant(const char* name);
std::optional<std::uint64_t> long_constant(const char* name);
std::optional<std::uint64_t> size_of(const char* type);

}  // namespace ddm::vm_structs
