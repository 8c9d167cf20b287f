// Fetches memory ahead that is going to be written to: from a processor that has written to it last
// it comes over once, and not again at the first write.
#pragma once

namespace ddm {

inline void prefetch_to_write(const void* at) {
#if defined(__x86_64__)
  // What the compiler makes of its builtin is a fetch to read, unless told that there is more than
  // the oldest processor has; those do nothing here.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace ddm
