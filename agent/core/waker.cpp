#include "core/waker.h"

#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace ddm {

Result<std::shared_ptr<Waker>> Waker::create() {
  FileDescriptor event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!event.valid()) return errno_error("eventfd");
  return std::make_shared<Waker>(std::move(event));
}

void Waker::wake() {
  if (pending_.exchange(true)) return;
  ++waking_;
  if (!closed_) {
    // Fails only when the counter is saturated, and then the thread is awake anyway.
    [[maybe_unused]] const int result = eventfd_write(event_.get(), 1);
  }
  --waking_;
}

// After close() the descriptor number may be reused for another file, so close() waits until no
// wake() is in progress.
void Waker::close() {
  closed_ = true;
  while (waking_ != 0) sched_yield();
  event_.reset();
}

void Waker::reset() {
  eventfd_t ignored = 0;
  [[maybe_unused]] const int result = eventfd_read(event_.get(), &ignored);
  // Cleared after the read: a wake() from here on writes again.
  pending_.store(false);
}

}  // namespace ddm
