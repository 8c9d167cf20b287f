#include "core/freed_memory.h"

#include <malloc.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include "core/unattached_thread.h"

namespace ddm {
namespace {

// malloc_trim() locks one arena after the other while it looks through what is free there: with
// more than that, whoever allocates might wait for too long.
constexpr std::size_t kMostFree = std::size_t{1} << 30;

void give_back() {
  if (mallinfo2().fordblks <= kMostFree) malloc_trim(0);
}

}  // namespace

struct FreedMemory::Watch {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;

  // False: it is over.
  bool sleep(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex);
    return !changed.wait_for(lock, time, [this] { return over; });
  }
};

void FreedMemory::expect() {
  forget();
  auto watch = std::make_shared<Watch>();
  std::thread thread = start_unattached_thread("ddm-memory", [watch, first = first_] {
    for (int look = 0; look < kLooks && watch->sleep(first * (1 << look)); ++look) give_back();
  });
  if (!thread.joinable()) return;  // then malloc keeps it for the program
  thread.detach();
  watch_ = std::move(watch);
}

void FreedMemory::forget() {
  if (!watch_) return;
  {
    const std::lock_guard lock(watch_->mutex);
    watch_->over = true;
  }
  watch_->changed.notify_all();
  watch_.reset();
}

}  // namespace ddm
