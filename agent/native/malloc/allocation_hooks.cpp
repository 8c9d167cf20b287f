#include "native/malloc/allocation_hooks.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>

#include "native/malloc/loaded_library.h"
#include "native/malloc/native_stack.h"
#include "native/malloc/sampling_interval.h"

namespace ddm {
namespace {

struct ThreadState {
  std::uint64_t bytes_left = 0;  // until the next sample
  std::uint64_t random = 0;      // 0: this thread has not allocated yet
  std::uint64_t mean = 0;        // the mean of the current countdown
  bool busy = false;
};

// In the static TLS block: other thread-locals are allocated with malloc.
thread_local constinit ThreadState t_state __attribute__((tls_model("initial-exec")));

struct Real {
  void* (*malloc)(std::size_t);
  void* (*calloc)(std::size_t, std::size_t);
  void* (*realloc)(void*, std::size_t);
  void* (*reallocarray)(void*, std::size_t, std::size_t);
  void (*free)(void*);
  int (*posix_memalign)(void**, std::size_t, std::size_t);
  void* (*aligned_alloc)(std::size_t, std::size_t);
  void* (*memalign)(std::size_t, std::size_t);
  int (*dl_iterate_phdr)(int (*)(dl_phdr_info*, std::size_t, void*), void*);
};

// Written before the first hook is installed, then constant.
Real g_real{};
SampleTable* g_table = nullptr;
std::atomic<std::uint64_t> g_mean{0};  // 0: nothing is sampled
JavaStackReader g_java_stack = nullptr;
std::atomic<bool> g_in_child{false};
std::atomic<std::uint64_t> g_seed{0};  // of the threads' random generators

struct CodeRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t at) const { return begin <= at && at < end; }
};
CodeRange g_libc;
// Functions of libc that allocate for their caller without holding a lock.
std::array<CodeRange, 2> g_harmless;

// libc may hold a lock when it allocates (stdio, time zones, the loader): then nothing may wait for
// another lock.
bool may_unwind_from(std::uintptr_t caller) {
  if (!g_libc.holds(caller)) return true;
  for (const CodeRange& function : g_harmless) {
    if (function.holds(caller)) return true;
  }
  return false;
}

// True for nearly all allocations. The hooks then tail-call the real function, which returns to the
// caller.
inline bool before_next_sample(std::size_t bytes) {
  ThreadState& state = t_state;
  if (__builtin_expect(bytes >= state.bytes_left, 0)) return false;
  state.bytes_left -= bytes;
  return true;
}

void draw_distance(ThreadState* state, std::uint64_t mean) {
  state->mean = mean;
  state->bytes_left =
      static_cast<std::uint64_t>(sampling_distance(next_random(&state->random), mean));
}

// A new thread has no countdown, and after a change of the mean a thread's is wrong: the next
// allocation draws one, and may lie before its end.
bool is_before_first_sample(ThreadState* state, std::size_t bytes, std::uint64_t mean) {
  if (state->mean == mean) return false;
  if (state->random == 0) {
    // The generator is a counter: consecutive seeds would give threads the same numbers, one step
    // apart.
    std::uint64_t seed = g_seed.fetch_add(1, std::memory_order_relaxed);
    state->random = next_random(&seed) | 1;
  }
  draw_distance(state, mean);
  return before_next_sample(bytes);
}

AllocationSample read_stack(std::size_t bytes, std::uintptr_t caller) {
  AllocationSample sampled;
  sampled.bytes = bytes;
  if (!may_unwind_from(caller)) {
    sampled.native[0] = caller;
    sampled.native_frames = 1;
    return sampled;
  }
  sampled.native_frames = static_cast<std::uint32_t>(
      capture_native_stack(caller, sampled.native.data(), sampled.native.size()));
  if (g_java_stack != nullptr) {
    sampled.java_frames = g_java_stack(sampled.java.data(), kMaxJavaFrames);
  }
  return sampled;
}

// For the block at the end of the thread's countdown: usually the one to sample.
__attribute__((noinline, cold)) void sample(void* address, std::size_t bytes,
                                            std::uintptr_t caller) {
  ThreadState& state = t_state;
  if (address == nullptr || state.busy) return;
  if (g_in_child.load(std::memory_order_relaxed)) {
    state.bytes_left = ~std::uint64_t{0};
    return;
  }
  // Switched off: the countdown stays at its end, so switching on takes effect at once.
  const std::uint64_t mean = g_mean.load(std::memory_order_relaxed);
  if (mean == 0 || is_before_first_sample(&state, bytes, mean)) return;
  draw_distance(&state, mean);
  state.busy = true;
  const int error = errno;
  g_table->add(address, read_stack(bytes, caller));
  errno = error;
  state.busy = false;
}

inline void* sampled(void* address, std::size_t bytes, void* caller) {
  sample(address, bytes, reinterpret_cast<std::uintptr_t>(caller));
  return address;
}

__attribute__((noinline, cold)) void forget(void* address) {
  if (const auto record = g_table->take(address); record != SampleTable::kNone) {
    g_table->drop(record);
  }
}

#define DDM_CALLER __builtin_return_address(0)

void* hook_malloc(std::size_t bytes) {
  if (before_next_sample(bytes)) return g_real.malloc(bytes);
  return sampled(g_real.malloc(bytes), bytes, DDM_CALLER);
}

void* hook_calloc(std::size_t count, std::size_t size) {
  const std::size_t bytes = count * size;  // on overflow there is no block
  if (before_next_sample(bytes)) return g_real.calloc(count, size);
  return sampled(g_real.calloc(count, size), bytes, DDM_CALLER);
}

void hook_free(void* address) {
  if (__builtin_expect(g_table->may_hold(address), 0)) forget(address);
  g_real.free(address);
}

// Removed first: once the old block is freed, another thread may get its address.
template <typename Reallocate>
__attribute__((noinline, cold)) void* reallocate_sampled(void* old, std::size_t bytes,
                                                         Reallocate call) {
  const auto record = g_table->take(old);
  void* address = call();
  if (record == SampleTable::kNone) return address;
  if (address == nullptr && bytes != 0) {
    g_table->put_back(old, record);
  } else {
    g_table->drop(record);
  }
  return address;
}

template <typename Reallocate>
inline void* reallocate(void* old, std::size_t bytes, void* caller, Reallocate call) {
  const bool may_be_sampled = g_table->may_hold(old);
  void* address =
      __builtin_expect(may_be_sampled, 0) ? reallocate_sampled(old, bytes, call) : call();
  return before_next_sample(bytes) ? address : sampled(address, bytes, caller);
}

void* hook_realloc(void* old, std::size_t bytes) {
  return reallocate(old, bytes, DDM_CALLER, [&] { return g_real.realloc(old, bytes); });
}

void* hook_reallocarray(void* old, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return g_real.reallocarray(old, count, size);
  // Not g_real.reallocarray(), which calls realloc() through a slot that is hooked as well.
  return reallocate(old, bytes, DDM_CALLER, [&] { return g_real.realloc(old, bytes); });
}

int hook_posix_memalign(void** address, std::size_t alignment, std::size_t bytes) {
  const int error = g_real.posix_memalign(address, alignment, bytes);
  if (error == 0 && !before_next_sample(bytes)) sampled(*address, bytes, DDM_CALLER);
  return error;
}

void* hook_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (before_next_sample(bytes)) return g_real.aligned_alloc(alignment, bytes);
  return sampled(g_real.aligned_alloc(alignment, bytes), bytes, DDM_CALLER);
}

void* hook_memalign(std::size_t alignment, std::size_t bytes) {
  if (before_next_sample(bytes)) return g_real.memalign(alignment, bytes);
  return sampled(g_real.memalign(alignment, bytes), bytes, DDM_CALLER);
}

// The loader's lock is held during the callback. Its allocations are not sampled: the unwinder
// waits for the loader's lock while it holds its own.
int hook_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data) {
  const Unsampled unsampled;
  return g_real.dl_iterate_phdr(callback, data);
}

// Around fork(), outside other libraries' handlers. Another thread may have held the unwinder's
// lock then: the child never samples.
thread_local constinit bool t_busy_before_fork __attribute__((tls_model("initial-exec"))) = false;

void before_fork() {
  t_busy_before_fork = t_state.busy;
  t_state.busy = true;
}

void after_fork_in_parent() { t_state.busy = t_busy_before_fork; }

void after_fork_in_child() { g_in_child.store(true, std::memory_order_relaxed); }

std::array<Hook, kMostHooks> g_hooks;
std::size_t g_hook_count = 0;

// A function that nobody has linked cannot be called either.
template <typename Function>
void add_libc_hook(const char* name, Function* Real::*real, Function* hook) {
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == nullptr) return;
  g_real.*real = reinterpret_cast<Function*>(found);
  add_hook({name, reinterpret_cast<std::uintptr_t>(found), reinterpret_cast<std::uintptr_t>(hook)});
}

CodeRange code_of_function(const char* name) {
  Dl_info info{};
  void* symbol = nullptr;
  void* address = dlsym(RTLD_DEFAULT, name);
  if (address == nullptr || dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 ||
      symbol == nullptr) {
    return {};
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin, begin + static_cast<const ElfW(Sym)*>(symbol)->st_size};
}

void find_libc_code() {
  visit_libraries([](const dl_phdr_info& info) {
    for (const ElfW(Phdr) & header : LoadedLibrary::of(info).headers) {
      const std::uintptr_t begin = info.dlpi_addr + header.p_vaddr;
      const CodeRange range{begin, begin + header.p_memsz};
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0 &&
          range.holds(reinterpret_cast<std::uintptr_t>(&::strtol))) {
        g_libc = range;
      }
    }
    return false;
  });
  g_harmless = {code_of_function("strdup"), code_of_function("strndup")};
}

}  // namespace

void prepare_allocation_hooks(SampleTable* table, JavaStackReader java_stack) {
  if (g_table != nullptr) return;
  g_table = table;
  g_java_stack = java_stack;
  g_seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  find_libc_code();
  add_libc_hook("malloc", &Real::malloc, hook_malloc);
  add_libc_hook("calloc", &Real::calloc, hook_calloc);
  add_libc_hook("realloc", &Real::realloc, hook_realloc);
  add_libc_hook("reallocarray", &Real::reallocarray, hook_reallocarray);
  add_libc_hook("free", &Real::free, hook_free);
  add_libc_hook("posix_memalign", &Real::posix_memalign, hook_posix_memalign);
  add_libc_hook("aligned_alloc", &Real::aligned_alloc, hook_aligned_alloc);
  add_libc_hook("memalign", &Real::memalign, hook_memalign);
  add_libc_hook("dl_iterate_phdr", &Real::dl_iterate_phdr, hook_dl_iterate_phdr);
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void set_sampling(std::uint64_t mean_bytes) { g_mean.store(mean_bytes, std::memory_order_relaxed); }

std::span<const Hook> all_hooks() { return {g_hooks.data(), g_hook_count}; }

void add_hook(const Hook& hook) { g_hooks[g_hook_count++] = hook; }

Unsampled::Unsampled() : before_(t_state.busy) { t_state.busy = true; }
Unsampled::~Unsampled() { t_state.busy = before_; }

}  // namespace ddm
