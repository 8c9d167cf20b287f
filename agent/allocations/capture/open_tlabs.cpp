#include "allocations/capture/open_tlabs.h"

#include "core/log.h"
#include "vm/claims_between_pauses.h"
#include "vm/vm_structs.h"

namespace ddm {
namespace {

// Three words, the last being _bytes_since_last_sample_point; from 24 on that is elsewhere.
constexpr std::int64_t kWasteToRefillsUntil23 = 24;

std::uint64_t& word(std::uintptr_t address) { return *reinterpret_cast<std::uint64_t*>(address); }

}  // namespace

std::optional<OpenTlabs> OpenTlabs::find(JNIEnv* jni, const AllocatedLayout& allocated,
                                         std::uintptr_t current) {
  const auto threads = VmThreadList::find(current);
  const auto tlab = vm_structs::offset_of("Thread", "_tlab");
  const auto end = vm_structs::offset_of("ThreadLocalAllocBuffer", "_end");
  const auto desired = vm_structs::offset_of("ThreadLocalAllocBuffer", "_desired_size");
  if (!threads || !tlab || !end || !desired) return {};
  const std::string wrong = wrong_between_pauses(jni, [&](VmClaims& claims) {
    // Order of fields in every release so far: the sampling end, the allocation end, the desired
    // size.
    claims.expect(*desired - *end == 2 * static_cast<std::int64_t>(sizeof(std::uint64_t)),
                  "ThreadLocalAllocBuffer::_end");
    expect_tlab_end(claims, allocated, *tlab + *end, current);
  });
  if (!wrong.empty()) {
    log_warn("open TLABs stay open: they do not end where the VM's {} says", wrong);
    return {};
  }
  OpenTlabs result(*threads, SampleCountdown(allocated.counter +
                                             static_cast<std::int64_t>(sizeof(std::uint64_t))));
  result.tlab_start_ = allocated.start;
  result.tlab_top_ = allocated.top;
  result.tlab_end_ = *tlab + *end;
  const auto waste = vm_structs::offset_of("ThreadLocalAllocBuffer", "_refill_waste_limit");
  const auto refills = vm_structs::offset_of("ThreadLocalAllocBuffer", "_number_of_refills");
  if (waste && refills && *refills - *waste == kWasteToRefillsUntil23) {
    result.tlab_since_ = *tlab + *refills - static_cast<std::int64_t>(sizeof(std::uint64_t));
  }
  return result;
}

SampleCountdown::Words OpenTlabs::read(std::uintptr_t thread) const {
  return countdown_.read(thread, word(thread + tlab_start_), word(thread + tlab_top_));
}

void OpenTlabs::close(const std::function<std::uint64_t()>& next_countdown) {
  bool restart = true;
  threads_.for_each([&](std::uintptr_t thread) {
    if (!countdown_.is_plausible(read(thread))) restart = false;
  });
  threads_.for_each([&](std::uintptr_t thread) {
    if (restart) {
      countdown_.begin(thread, read(thread), next_countdown());
      if (tlab_since_ != 0) word(thread + tlab_since_) = 0;
    }
    const std::uint64_t start = word(thread + tlab_start_);
    const std::uint64_t top = word(thread + tlab_top_);
    const std::uint64_t end = word(thread + tlab_end_);
    if (start == 0 || top < start || end < top) return;
    word(thread + tlab_end_) = top;
  });
}

}  // namespace ddm
