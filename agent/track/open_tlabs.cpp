#include "track/open_tlabs.h"

#include <cstring>

#include "jvm/vm_pause.h"
#include "jvm/vm_structs.h"

namespace ddm {
namespace {

// Countdowns are drawn around the sampling interval, 512 KB unless somebody changed it: beyond this
// lies one in e^128.
constexpr std::uint64_t kMostCountdown = 64 * 1024 * 1024;

std::uint64_t& word(std::uintptr_t address) { return *reinterpret_cast<std::uint64_t*>(address); }

}  // namespace

std::optional<OpenTlabs> OpenTlabs::find() {
  const auto list = vm_structs::address_of("ThreadsSMRSupport", "_java_thread_list");
  const auto length = vm_structs::offset_of("ThreadsList", "_length");
  const auto threads = vm_structs::offset_of("ThreadsList", "_threads");
  const auto tlab = vm_structs::offset_of("Thread", "_tlab");
  const auto start = vm_structs::offset_of("ThreadLocalAllocBuffer", "_start");
  const auto top = vm_structs::offset_of("ThreadLocalAllocBuffer", "_top");
  const auto end = vm_structs::offset_of("ThreadLocalAllocBuffer", "_end");
  const auto allocated = vm_structs::offset_of("Thread", "_allocated_bytes");
  if (!list || !length || !threads || !tlab || !start || !top || !end || !allocated) return {};
  OpenTlabs result;
  result.thread_list_ = *list;
  result.list_length_ = *length;
  result.list_threads_ = *threads;
  result.tlab_start_ = *tlab + *start;
  result.tlab_top_ = *tlab + *top;
  result.tlab_end_ = *tlab + *end;
  result.countdown_ = *allocated + static_cast<std::int64_t>(sizeof(std::uint64_t));
  return result;
}

std::string OpenTlabs::close(jvmtiEnv* jvmti, bool every_allocation, Closed& closed) {
  return run_in_pause(jvmti, [&] { closed = close_all(every_allocation); });
}

// At a safepoint: the list of threads stands still, and so do their TLABs.
template <typename Visit>
void OpenTlabs::for_each_thread(Visit visit) const {
  const std::uintptr_t list = word(thread_list_);
  if (list == 0) return;
  std::uint32_t length = 0;
  std::memcpy(&length, reinterpret_cast<const void*>(list + list_length_), sizeof length);
  const std::uintptr_t threads = word(list + list_threads_);
  for (std::uint32_t i = 0; i < length; ++i) {
    const std::uintptr_t thread = word(threads + i * sizeof(std::uintptr_t));
    if (thread != 0) visit(thread);
  }
}

std::uint64_t OpenTlabs::countdown(std::uintptr_t thread) const {
  return word(thread + countdown_);
}

void OpenTlabs::learn(std::uint64_t before, std::uint64_t after) {
  countdowns_known_ = before > 0 && before < kMostCountdown && after == 0;
}

bool OpenTlabs::countdowns_look_right() const {
  bool right = true;
  for_each_thread([&](std::uintptr_t thread) { right &= countdown(thread) < kMostCountdown; });
  return right;
}

OpenTlabs::Closed OpenTlabs::close_all(bool every_allocation) {
  Closed closed;
  closed.countdowns = every_allocation && countdowns_known_ && countdowns_look_right();
  for_each_thread([&](std::uintptr_t thread) {
    if (closed.countdowns) word(thread + countdown_) = 0;
    const std::uint64_t start = word(thread + tlab_start_);
    const std::uint64_t top = word(thread + tlab_top_);
    const std::uint64_t end = word(thread + tlab_end_);
    if (start == 0 || top < start || end < top) return;
    word(thread + tlab_end_) = top;
    ++closed.threads;
  });
  return closed;
}

}  // namespace ddm
