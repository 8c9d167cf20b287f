// The calling thread's native stack, by libunwind, which is opened only when somebody asks for it.
//
// capture_native_stack() runs inside malloc's callers: it allocates nothing from malloc. libunwind
// blocks signals while it holds its locks, and takes the loader's lock for code that it has not met
// before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ddm {

// "" or what went wrong. Once, before the first capture.
std::string open_libunwind();

// Return addresses from `caller` on, which is one of those on the stack; only itself if it is not
// found there. How many.
std::size_t capture_native_stack(std::uintptr_t caller, std::uintptr_t* frames, std::size_t most);

}  // namespace ddm
