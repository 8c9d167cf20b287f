#include "native/native_stack.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>

namespace ddm {
namespace {

using Backtrace = int (*)(void**, int);
std::atomic<Backtrace> g_backtrace{nullptr};

// Frames of our own above the caller.
constexpr std::size_t kOwnFrames = 8;
constexpr std::size_t kMostFrames = 64;

}  // namespace

std::string open_libunwind() {
  void* library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return dlerror();
  const auto backtrace = reinterpret_cast<Backtrace>(dlsym(library, "unw_backtrace"));
  if (backtrace == nullptr) return "libunwind.so.8 has no unw_backtrace";
  g_backtrace = backtrace;
  return "";
}

std::size_t capture_native_stack(std::uintptr_t caller, std::uintptr_t* frames, std::size_t most) {
  std::array<void*, kMostFrames> found;
  std::size_t count = 0;
  if (const Backtrace backtrace = g_backtrace.load(std::memory_order_relaxed)) {
    const std::size_t wanted = std::min(most + kOwnFrames, kMostFrames);
    const int got = backtrace(found.data(), static_cast<int>(wanted));
    count = got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  const auto address = [](void* frame) { return reinterpret_cast<std::uintptr_t>(frame); };
  std::size_t first = 0;
  while (first < count && address(found[first]) != caller) ++first;
  if (first == count) {
    frames[0] = caller;
    return 1;
  }
  const std::size_t size = std::min(count - first, most);
  std::transform(found.begin() + static_cast<std::ptrdiff_t>(first),
                 found.begin() + static_cast<std::ptrdiff_t>(first + size), frames, address);
  return size;
}

}  // namespace ddm
