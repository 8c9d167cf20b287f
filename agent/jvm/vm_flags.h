// The VM's -XX flags, as they are in force now: in the VM's own table, found through vmStructs.
//
// None: this VM has no such flag, or no table that can be read.
#pragma once

#include <cstdint>
#include <optional>

namespace ddm::vm_flags {

std::optional<bool> boolean(const char* name);
// As if it had stood so on the command line: in Agent_OnLoad only, before any thread of the VM reads
// it. False: there is no such flag.
bool set_boolean(const char* name, bool value);

// Flags of type int (ObjectAlignmentInBytes).
std::optional<std::int32_t> integer(const char* name);

}  // namespace ddm::vm_flags
