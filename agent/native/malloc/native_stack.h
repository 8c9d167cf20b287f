// The calling thread's native stack, by libunwind, which is loaded on demand.
//
// capture_native_stack() runs inside calls of malloc and does not call malloc. libunwind blocks
// signals while it holds its locks, and takes the loader's lock for code that is new to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ddm {

// "" or the error. Call once, before the first capture.
std::string open_libunwind();

// Stores the return addresses from `caller` on, and returns their number; only `caller` itself if
// that is not on the unwound stack.
std::size_t capture_native_stack(std::uintptr_t caller, std::uintptr_t* frames, std::size_t most);

}  // namespace ddm
