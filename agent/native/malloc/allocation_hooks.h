// The hooks that replace malloc and free in libraries while sampling is on.
//
// The hooks run on every thread of the program, at any time: they take no lock, do not reenter
// (thread-local flag), and preserve errno. Most calls cost a subtraction (malloc) or one lookup in a
// small table (free). A forked child does not sample. When sampling ends, the real functions are
// restored in all libraries; the hooks' code stays, since a thread may be inside or hold an address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "native/malloc/sample_table.h"

namespace ddm {

// Reads the calling thread's Java stack, innermost first, and returns the number of frames; takes no
// lock, does not allocate.
using JavaStackReader = std::uint32_t (*)(JavaFrame* frames, std::uint32_t most);

// A function of libc, and the hook to be called instead.
struct Hook {
  const char* name;
  std::uintptr_t real;
  std::uintptr_t hook;
};

// Upper bound of malloc's family and the other hooked functions.
inline constexpr std::size_t kMostHooks = 16;

// Call before any hook is installed; a second call has no effect. `table` is never freed.
void prepare_allocation_hooks(SampleTable* table, JavaStackReader java_stack);

// Samples one byte in `mean_bytes` from now on; 0: nothing. Each thread uses the new value after its
// current countdown.
void set_sampling(std::uint64_t mean_bytes);

// The hooks of malloc's family, as far as this libc has it, and those that were added: all of them
// before the first one is installed.
std::span<const Hook> all_hooks();
void add_hook(const Hook& hook);

// The calling thread's allocations are not sampled while one exists.
class Unsampled {
 public:
  Unsampled();
  ~Unsampled();
  Unsampled(const Unsampled&) = delete;
  Unsampled& operator=(const Unsampled&) = delete;

 private:
  const bool before_;
};

}  // namespace ddm
