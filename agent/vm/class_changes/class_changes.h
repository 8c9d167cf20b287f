// How often the agent has changed classes of this process, by name, and how often is too often.
//
// Whenever a class is retransformed the VM drops what it compiled of its methods and of what they
// were compiled into. A method whose code C2 has had to drop PerMethodRecompilationCutoff (400) times
// is not compiled by it again, and one change drops up to two codes of a caller. Nobody can set that
// back. Any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace ddm::class_changes {

// The class of this internal name has been retransformed.
void add(std::string_view internal_name);
std::uint32_t count(std::string_view internal_name);

// From so many on what changes a class should rather stay in it. 0: the VM sets no limit.
std::uint32_t many();

}  // namespace ddm::class_changes
