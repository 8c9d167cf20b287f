// One book a thread: how much of what it allocated was seen. allocated - seen = unattributed.
//
// Books belong to platform threads (carriers, for virtual threads), as the VM's counters do. A
// thread adds to its own book without a lock. The mutex guards the list, and keeps a thread's VM
// structure alive while it is read: ThreadEnd takes the book out under it before the VM frees the
// structure. Order of a tracking period: start() before the first event, stop() after the last, so
// that allocated >= seen holds at any moment. The agent's own threads have none.
//
// Carriers get one kind of object that neither engine sees: jdk.internal.vm.StackChunk, in which
// the VM keeps the stacks of virtual threads that wait. With every other allocation seen, what is
// left in carriers' books is that; what else was missed there counts as such too, so it is a bound.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "records/report.h"
#include "records/seen_counter.h"
#include "track/allocated_bytes.h"

namespace ddm {

class ThreadBooks {
 public:
  ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field, std::optional<AllocatedBytes> allocated);

  // Opens the books anew at the threads' present counters.
  void start(JNIEnv* jni);
  // Closes them: what threads allocate from now on is not booked.
  void stop();

  // A book has a number that no other one ever had. 0: a thread past its end has none.
  using Number = std::uint32_t;

  // The calling thread's book, opened if need be, when it has allocated an object of this size.
  Number own(JNIEnv* jni, std::int64_t size);

  // After own(), on the same thread: it saw an allocation that stands for `weight` of them. It was
  // recorded under `seq`, or dropped. Counted after the record is in the ring, never before.
  void saw(std::int64_t size, double weight, std::uint64_t seq);
  void dropped(std::int64_t size, double weight);

  // The calling thread starts anew at its present counter: what it allocated before is not booked.
  void rebase_current(JNIEnv* jni);

  // The JVMTI events, on the thread that starts or ends. Switched on before the first start() and
  // never off again, or a book could outlive its thread.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni);

  // How things stand: what every thread has counted, and up to which record.
  class Moment;

  // All books at one moment, which is when `last_seq` is asked for the newest record's seq.
  Moment moment(const std::function<std::uint64_t()>& last_seq) const;

  struct Totals {
    std::int64_t samples = 0;
    std::int64_t dropped = 0;
    std::int64_t seen = 0;
    std::int64_t seen_bytes = 0;
    std::optional<std::int64_t> allocated_bytes;   // the VM's own count
    std::int64_t carriers_unattributed_bytes = 0;  // allocated, and not seen
    std::vector<ThreadBytes>
        threads;  // most unattributed first; names only of what is no Java thread
  };

 private:
  struct Book {
    Number number = 0;
    std::int64_t thread_id = 0;
    bool carrier = false;
    SeenCounter seen;
    std::atomic<std::int64_t> base{0};       // the thread's counter when the book was opened
    std::atomic<std::int64_t> counter{0};    // last value read
    int unsettled = 0;                       // records that may be of objects made before that
    AllocatedBytes::VmThread vm_thread = 0;  // 0 = may not be read by others
  };

  Book* own_book(JNIEnv* jni, std::int64_t size);
  void count(const Seen& one, std::int64_t size);
  void open(AllocatedBytes::VmThread vm_thread, std::int64_t thread_id, bool carrier,
            std::int64_t base);
  bool is_carrier(JNIEnv* jni, jthread thread) const;
  ThreadBytes balance(Book& book, const Seen& seen) const;
  void refresh(Book& book) const;
  void settle(Book& book, std::int64_t size);

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  const std::optional<AllocatedBytes> allocated_;

  mutable std::mutex mutex_;
  std::unordered_map<AllocatedBytes::VmThread, std::unique_ptr<Book>> books_;
  std::unordered_set<AllocatedBytes::VmThread> ending_;  // past ThreadEnd, address not yet reused
  std::deque<ThreadBytes> ended_;    // the last threads that ended, newest at the back
  ThreadBytes ended_earlier_;        // the sum of all before
  Seen ended_seen_;                  // of all ended threads
  std::int64_t ended_carriers_ = 0;  // what ended carriers left unattributed
  Number last_number_ = 0;
  bool running_ = false;
};

class ThreadBooks::Moment {
 public:
  std::uint64_t last_seq() const { return last_seq_; }

  // Of records up to last_seq(), counts those that threads had in the ring already, but not yet in
  // their books: what is recorded is then what was seen less what was dropped or overwritten.
  void count_late(const RecordSet& records);

  Totals totals() const;

 private:
  friend class ThreadBooks;

  struct Thread {
    ThreadBytes bytes;
    Seen seen;
    std::uint64_t counted_up_to = 0;  // the newest of its records in its book
    bool carrier = false;
    bool late = false;  // began after the moment: it has no counter here
  };

  std::unordered_map<Number, Thread> threads_;  // with a book
  std::vector<ThreadBytes> ended_;              // whose books are closed
  Seen ended_seen_;
  std::int64_t ended_carriers_ = 0;
  Number last_number_ = 0;
  std::uint64_t last_seq_ = 0;
  bool has_counters_ = false;
};

}  // namespace ddm
