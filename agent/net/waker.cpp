#include "net/waker.h"

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
  // Fails only when the counter is at its end, and then the thread is awake anyway.
  [[maybe_unused]] const int result = eventfd_write(event_.get(), 1);
}

void Waker::reset() {
  eventfd_t ignored = 0;
  [[maybe_unused]] const int result = eventfd_read(event_.get(), &ignored);
  // After the read: a wake() from here on writes again.
  pending_.store(false);
}

}  // namespace ddm
