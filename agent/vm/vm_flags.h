// Current values of the VM's -XX flags, read from its flag table through vmStructs.
//
// nullopt: this VM has no such flag, or no readable table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddm::vm_flags {

std::optional<bool> boolean(const char* name);
// Flags of type int (ObjectAlignmentInBytes).
std::optional<std::int32_t> integer(const char* name);
// Flags of a machine word (uintx, size_t).
std::optional<std::uint64_t> word(const char* name);
// "": the flag is not set.
std::optional<std::string> text(const char* name);

}  // namespace ddm::vm_flags
