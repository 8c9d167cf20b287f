// Wakes the I/O thread out of poll(). Outlives it, since late replies still call wake().
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
  void wake();   // any thread, never blocks; calls before the thread has woken up are merged
  void reset();  // the I/O thread, before it checks for work

  // After the thread has ended: closes the descriptor; wake() does nothing from then on.
  void close();

 private:
  FileDescriptor event_;
  std::atomic<int> waking_{0};  // threads inside wake()
  std::atomic<bool> closed_{false};
  std::atomic<bool> pending_{false};
};

}  // namespace ddm
