// The VM's -XX flags, as they are in force now: read from the VM's own table through vmStructs.
//
// None: this VM has no such flag, or no table that can be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddm::vm_flags {

std::optional<bool> boolean(const char* name);
// Flags of type int (ObjectAlignmentInBytes).
std::optional<std::int32_t> integer(const char* name);
// "" where none is given.
std::optional<std::string> text(const char* name);

}  // namespace ddm::vm_flags
