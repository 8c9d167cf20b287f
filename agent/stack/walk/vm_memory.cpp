#include "stack/walk/vm_memory.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ddm {
namespace {

constexpr VmAddress kPage = 4096;
constexpr VmAddress kLowest = 65536;                // mmap_min_addr: nothing lies below
constexpr VmAddress kHighest = VmAddress{1} << 47;  // user space of x86-64

}  // namespace

ReadablePages::ReadablePages() : known_(new std::atomic<VmAddress>[kSlots]) {
  for (std::size_t i = 0; i < kSlots; ++i) known_[i].store(0, std::memory_order_relaxed);
}

bool ReadablePages::is_readable(VmAddress at, std::size_t bytes) {
  if (at < kLowest || at >= kHighest - kPage) return false;
  const VmAddress first = at & ~(kPage - 1);
  const VmAddress last = (at + bytes - 1) & ~(kPage - 1);
  return page_is_readable(first) && (last == first || page_is_readable(last));
}

bool ReadablePages::page_is_readable(VmAddress page) {
  std::atomic<VmAddress>& slot = known_[(page / kPage) % kSlots];
  if (slot.load(std::memory_order_relaxed) == page) return true;
  // The kernel copies the signal set before it rejects the invalid first argument: EFAULT means
  // unreadable memory, and the call has no other effect.
  constexpr int kNoSuchHow = -1;
  const int saved = errno;
  syscall(SYS_rt_sigprocmask, kNoSuchHow, page, nullptr, 8);
  const bool readable = errno != EFAULT;
  errno = saved;
  if (readable) slot.store(page, std::memory_order_relaxed);
  return readable;
}

}  // namespace ddm
