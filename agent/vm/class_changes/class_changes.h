// Counts the agent's retransformations by class name, and knows from which count on they do harm.
//
// Retransforming a class makes its nmethods and those that inline its methods not entrant. A method
// that C2 has recompiled PerMethodRecompilationCutoff (400) times is never compiled by C2 again,
// and one retransformation can cost a caller two nmethods. The VM's counter cannot be reset. Any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace ddm::class_changes {

// Call when the class of this internal name was retransformed.
void add(std::string_view internal_name);
std::uint32_t count(std::string_view internal_name);

// From this count on a change should rather stay in the class. 0: the VM has no limit.
std::uint32_t many();

}  // namespace ddm::class_changes
