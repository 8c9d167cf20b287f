// Wakes the I/O thread out of epoll_wait(). Outlives the thread: late replies may still wake it.
#pragma once

#include <atomic>
#include <memory>

#include "core/file_descriptor.h"

namespace ddm {

class Waker {
 public:
  static Result<std::shared_ptr<Waker>> create();
  explicit Waker(FileDescriptor event) : event_(std::move(event)) {}

  int fd() const { return event_.get(); }
  void wake();   // any thread, never waits; calls before the thread has woken up count as one
  void reset();  // the I/O thread, before it looks for what there is to do

  // When that thread has ended: the descriptor is given back, and wake() does nothing any more.
  void close();

 private:
  FileDescriptor event_;
  std::atomic<int> waking_{0};  // threads inside of wake()
  std::atomic<bool> closed_{false};
  std::atomic<bool> pending_{false};
};

}  // namespace ddm
