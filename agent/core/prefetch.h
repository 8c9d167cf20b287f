// Prefetches memory that is going to be written: a cache line that another core has modified is
// transferred once, in exclusive state, instead of being upgraded at the first write.
#pragma once

namespace ddm {

inline void prefetch_to_write(const void* at) {
#if defined(__x86_64__)
  // For baseline x86-64 the compiler's builtin emits a prefetch for reading. prefetchw is a no-op
  // on processors without it.
  asm volatile("prefetchw %0" : : "m"(*static_cast<const char*>(at)));
#else
  __builtin_prefetch(at, 1);
#endif
}

}  // namespace ddm
