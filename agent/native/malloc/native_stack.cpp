#include "native/malloc/native_stack.h"

#include <dlfcn.h>

// Only for the layouts of cursor and context, and for function names: the library is opened at run
// time.
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#define DDM_NAME_OF(function) DDM_NAME_OF_EXPANDED(function)
#define DDM_NAME_OF_EXPANDED(function) #function

// From libgcc, which is linked into this library: finds the unwind table's entry of an address.
extern "C" {
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
const void* _Unwind_Find_FDE(void* address, dwarf_eh_bases* bases);
}

namespace ddm {
namespace {

// The hooks' own frames above the caller.
constexpr int kMostOwnFrames = 8;

struct Unwinder {
  decltype(&unw_tdep_getcontext) get_context = nullptr;
  decltype(&unw_init_local) init = nullptr;
  decltype(&unw_step) step = nullptr;
  decltype(&unw_get_reg) get_register = nullptr;
};
// Complete before the first capture.
Unwinder g_unwinder;

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// Without an entry the unwinder assumes that rbp points to a frame. In JIT-compiled code rbp may be
// any number, even one near the end of readable memory, and would be dereferenced beyond it.
bool has_unwind_table(std::uintptr_t return_address) {
  dwarf_eh_bases bases{};
  return _Unwind_Find_FDE(reinterpret_cast<void*>(return_address - 1), &bases) != nullptr;
}

}  // namespace

std::string open_libunwind() {
  void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  Unwinder found;
  if (!find(library, DDM_NAME_OF(unw_tdep_getcontext), found.get_context) ||
      !find(library, DDM_NAME_OF(unw_init_local), found.init) ||
      !find(library, DDM_NAME_OF(unw_step), found.step) ||
      !find(library, DDM_NAME_OF(unw_get_reg), found.get_register)) {
    return "libunwind.so.8 lacks a function";
  }
  g_unwinder = found;
  return "";
}

std::size_t capture_native_stack(std::uintptr_t caller, std::uintptr_t* frames, std::size_t most) {
  frames[0] = caller;
  if (g_unwinder.get_context == nullptr) return 1;
  unw_context_t context;
  unw_cursor_t cursor;
  if (g_unwinder.get_context(&context) != 0 || g_unwinder.init(&cursor, &context) < 0) return 1;
  std::size_t found = 0;  // frames from the caller on
  unw_word_t address = 0;
  for (int own_frames = 0; found < most; ++own_frames) {
    if (g_unwinder.get_register(&cursor, UNW_REG_IP, &address) < 0 || address == 0) break;
    if (found > 0 || address == caller) frames[found++] = address;
    if (found == 0 && own_frames == kMostOwnFrames) break;
    if (!has_unwind_table(address) || g_unwinder.step(&cursor) <= 0) break;
  }
  return found > 0 ? found : 1;
}

}  // namespace ddm
