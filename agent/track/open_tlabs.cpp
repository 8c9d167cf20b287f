#include "track/open_tlabs.h"

#include <cstring>

#include "jvm/vm_pause.h"
#include "jvm/vm_structs.h"

namespace ddm {
namespace {

// Three words, the last of which is _bytes_since_last_sample_point; from 24 on it is elsewhere.
constexpr std::int64_t kWasteToRefillsUntil23 = 24;

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
  OpenTlabs result(SampleCountdown(*allocated + static_cast<std::int64_t>(sizeof(std::uint64_t))));
  result.thread_list_ = *list;
  result.list_length_ = *length;
  result.list_threads_ = *threads;
  result.tlab_start_ = *tlab + *start;
  result.tlab_top_ = *tlab + *top;
  result.tlab_end_ = *tlab + *end;
  const auto waste = vm_structs::offset_of("ThreadLocalAllocBuffer", "_refill_waste_limit");
  const auto refills = vm_structs::offset_of("ThreadLocalAllocBuffer", "_number_of_refills");
  if (waste && refills && *refills - *waste == kWasteToRefillsUntil23) {
    result.tlab_since_ = *tlab + *refills - static_cast<std::int64_t>(sizeof(std::uint64_t));
  }
  return result;
}

std::string OpenTlabs::close(jvmtiEnv* jvmti, const std::function<std::uint64_t()>& next_countdown,
                             Closed& closed) {
  return run_in_pause(jvmti, [&] { closed = close_all(next_countdown); });
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

SampleCountdown::Seen OpenTlabs::look(std::uintptr_t thread) const {
  return countdown_.look(thread, word(thread + tlab_start_), word(thread + tlab_top_));
}

OpenTlabs::Closed OpenTlabs::close_all(const std::function<std::uint64_t()>& next_countdown) {
  Closed closed;
  closed.countdowns = true;
  for_each_thread([&](std::uintptr_t thread) {
    if (!countdown_.looks_right(look(thread))) closed.countdowns = false;
  });
  for_each_thread([&](std::uintptr_t thread) {
    if (closed.countdowns) {
      countdown_.begin(thread, look(thread), next_countdown());
      if (tlab_since_ != 0) word(thread + tlab_since_) = 0;
    }
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
