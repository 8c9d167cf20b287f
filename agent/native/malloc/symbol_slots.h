// Redirects the slots in which a loaded library stores the addresses of imported functions (global
// offset table, tables of function pointers).
//
// Only for libraries that are relocated completely, and only while they cannot be unloaded. Does not
// allocate. A slot is written atomically: a concurrent call reaches the old function or the new one.
//
// A lazily bound slot has no function before the first call. Which one it will get depends on how the
// library was opened (RTLD_DEEPBIND), on symbol versions and on other definitions of the name, and
// the hooks must never get blocks of another allocator: unless only one function is possible, such a
// slot is left unchanged until the loader has bound it.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>

#include "native/malloc/allocation_hooks.h"
#include "native/malloc/loaded_library.h"

namespace ddm {

// By index in the span of hooks.
using HookSet = std::bitset<kMostHooks>;

// Adds the hooks whose name this library defines as another function.
void add_defined_otherwise(const LoadedLibrary& library, std::span<const Hook> hooks, HookSet* set);

// A slot with neither the real function nor the library's lazy stub was redirected by other code and
// stays unchanged. `defined_otherwise`: hooks whose name any library defines as another function.
// Returns the number of slots that are unchanged until the loader has bound them.
std::size_t redirect(const LoadedLibrary& library, std::span<const Hook> hooks,
                     const HookSet& defined_otherwise);

}  // namespace ddm
