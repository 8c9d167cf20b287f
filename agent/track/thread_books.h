// One book a thread: how much of what it allocated was seen. allocated - seen = unattributed.
//
// Books belong to platform threads (carriers, for virtual threads), as the VM's counters do. A
// thread adds to its own book without a lock. The mutex guards the list, and keeps a thread's VM
// structure alive while it is read: ThreadEnd takes the book out under it before the VM frees the
// structure. Order of a tracking period: start() before the first event, stop() after the last, so
// that allocated >= seen holds at any moment.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "records/report.h"
#include "track/allocated_bytes.h"

namespace ddm {

class ThreadBooks {
 public:
  ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field, std::optional<AllocatedBytes> allocated);

  // Opens the books anew at the threads' present counters.
  void start(JNIEnv* jni);
  // Closes them: what threads allocate from now on is not booked.
  void stop();

  // The calling thread saw one of its own allocations.
  void saw(JNIEnv* jni, std::int64_t size);

  // The calling thread starts anew at its present counter: what it allocated before is not booked.
  void rebase_current(JNIEnv* jni);

  // The JVMTI events, on the thread that starts or ends. Switched on before the first start() and
  // never off again, or a book could outlive its thread.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni);

  struct Totals {
    std::int64_t seen = 0;
    std::int64_t seen_bytes = 0;
    std::optional<std::int64_t> unattributed_bytes;
    std::vector<ThreadBytes>
        threads;  // most unattributed first; names only of what is no Java thread
  };
  Totals totals() const;

 private:
  struct Book {
    std::int64_t thread_id = 0;
    std::atomic<std::int64_t> seen{0};
    std::atomic<std::int64_t> seen_bytes{0};
    std::int64_t base = 0;                   // the thread's counter when the book was opened
    std::atomic<std::int64_t> counter{0};    // last value read
    AllocatedBytes::VmThread vm_thread = 0;  // 0 = may not be read by others
  };

  Book* own_book(JNIEnv* jni, std::int64_t size);
  void open(AllocatedBytes::VmThread vm_thread, std::int64_t thread_id, std::int64_t base);
  ThreadBytes balance(Book& book) const;
  void refresh(Book& book) const;

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  const std::optional<AllocatedBytes> allocated_;

  mutable std::mutex mutex_;
  std::unordered_map<AllocatedBytes::VmThread, std::unique_ptr<Book>> books_;
  std::unordered_set<AllocatedBytes::VmThread> ending_;  // past ThreadEnd, address not yet reused
  std::deque<ThreadBytes> ended_;  // the last threads that ended, newest at the back
  ThreadBytes ended_earlier_;      // the sum of all before
  std::int64_t ended_seen_ = 0;    // allocations seen by all ended threads
  bool running_ = false;
};

}  // namespace ddm
