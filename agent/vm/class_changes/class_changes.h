// Counts by class name how often the agent has retransformed the classes of that name, all loaders'
// at once, and knows from which count on this does harm.
//
// Retransforming a class makes its nmethods and those that inline its methods not entrant. A method
// that C2 has recompiled PerMethodRecompilationCutoff (400) times is never compiled by C2 again,
// and one retransformation can cost a caller two nmethods. The VM's counter cannot be reset. Any
// thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace ddm::class_changes {

// Call once for a pass that has retransformed classes of this internal name.
void add(std::string_view internal_name);
std::uint32_t count(std::string_view internal_name);

// From this count on a change should rather stay in the class. 0: the VM has no limit.
std::uint32_t many();

}  // namespace ddm::class_changes
