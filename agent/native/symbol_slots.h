// Puts other functions into the places where a loaded library keeps the addresses of functions that
// it imports (global offset table, tables of function pointers).
//
// Only for libraries that are relocated completely, and only while they cannot be unloaded: in a
// callback of dl_iterate_phdr(), or by somebody who holds them open. Nothing is allocated. Writing
// a slot is atomic; a thread that calls through it sees the old function or the new one.
#pragma once

#include <link.h>

#include <cstddef>
#include <span>

#include "native/allocation_hooks.h"

namespace ddm {

struct LoadedLibrary {
  std::uintptr_t base = 0;
  const ElfW(Phdr) * headers = nullptr;
  std::size_t header_count = 0;

  static LoadedLibrary of(const dl_phdr_info& info) {
    return {info.dlpi_addr, info.dlpi_phdr, info.dlpi_phnum};
  }
  bool holds(std::uintptr_t address) const;
};

// How many slots were changed. A slot that holds neither the real function nor the library's own
// lazy stub was given another function by somebody else and stays as it is.
std::size_t redirect(const LoadedLibrary& library, std::span<const Hook> hooks);

}  // namespace ddm
