// Puts other functions into the places where a loaded library keeps the addresses of functions that
// it imports (global offset table, tables of function pointers).
//
// Only for libraries that are relocated completely, and only while they cannot be unloaded. Nothing
// is allocated. Writing a slot is atomic; a thread that calls through it sees the old function or
// the new one.
//
// A slot that the loader binds at the first call has no function yet. Which one it will be depends
// on how the library was opened (RTLD_DEEPBIND), on symbol versions and on who else defines that
// name, and another one's blocks must never get to ours: where there is a choice, such a slot is
// left alone until it is bound.
#pragma once

#include <bitset>
#include <cstddef>
#include <span>

#include "native/malloc/allocation_hooks.h"
#include "native/malloc/loaded_library.h"

namespace ddm {

// By their place among the hooks.
using HookSet = std::bitset<kMostHooks>;

// Adds those whose name this library defines as another function than the hook's.
void add_defined_otherwise(const LoadedLibrary& library, std::span<const Hook> hooks, HookSet* set);

struct Redirected {
  std::size_t changed = 0;  // slots
  std::size_t unbound = 0;  // left alone until they are bound
};

// A slot that holds neither the real function nor the library's own lazy stub was given another
// function by somebody else and stays as it is. `defined_otherwise`: by any library.
Redirected redirect(const LoadedLibrary& library, std::span<const Hook> hooks,
                    const HookSet& defined_otherwise);

}  // namespace ddm
