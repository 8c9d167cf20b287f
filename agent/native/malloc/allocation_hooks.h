// The hooks that replace malloc and free in libraries while sampling is on.
//
// The hooks run on every thread of the program, at any time: they take no lock, never call
// themselves (a flag of the thread), and keep errno. Most calls cost a subtraction (malloc) or one
// look into a small table (free). In a forked child nothing is sampled any more. When sampling
// ends, libraries get the real functions back; the hooks themselves stay, since nobody can tell who
// still has their address, or is in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "native/malloc/sample_table.h"

namespace ddm {

// The calling thread's Java stack; takes no lock and allocates nothing. Innermost first; how many.
using JavaStackReader = std::uint32_t (*)(JavaFrame* frames, std::uint32_t most);

// A function of libc, and the hook to be called instead.
struct Hook {
  const char* name;
  std::uintptr_t real;
  std::uintptr_t hook;
};

// malloc and its family, and what else has to be in the way.
inline constexpr std::size_t kMostHooks = 16;

// Before any hook is put in place; the second call changes nothing. `table` stays for good.
void prepare_allocation_hooks(SampleTable* table, JavaStackReader java_stack);

// Samples one byte in `mean_bytes` from now on; 0: nothing. A thread that is on its way to a sample
// draws anew when it gets there.
void set_sampling(std::uint64_t mean_bytes);

// malloc and its family, those that this libc has.
std::span<const Hook> allocation_hooks();

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
