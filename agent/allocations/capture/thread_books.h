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
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "allocations/capture/allocated_bytes.h"
#include "allocations/capture/books_moment.h"
#include "allocations/capture/ended_threads.h"
#include "allocations/store/seen_counter.h"
#include "allocations/store/site_set.h"
#include "report/report.h"

namespace ddm {

class ThreadBooks {
 public:
  ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field, std::optional<AllocatedBytes> allocated);

  // From the next start() on allocations are counted there too; null: nowhere. What they were
  // counted at before comes back: who is in a Reading may be at it still. While nobody counts.
  std::shared_ptr<Sites> use(std::shared_ptr<Sites> sites);
  std::shared_ptr<Sites> shared_sites() const {
    const std::lock_guard lock(mutex_);
    return sites_;
  }
  // What threads have counted is at the sites afterwards, and not in their journals.
  void take_journals();
  Sites* sites() const { return sites_in_use_.load(std::memory_order_acquire); }

  // Where threads keep what they have allocated, once start() has found that right.
  std::optional<AllocatedLayout> allocated_layout() const {
    return has_counters() ? std::optional(allocated_->layout()) : std::nullopt;
  }

  // Of the calling thread: the VM's structure that these offsets are in.
  AllocatedBytes::VmThread vm_thread(JNIEnv* jni) const { return allocated_->current(jni); }

  // Opens the books anew at the threads' present counters.
  void start(JNIEnv* jni);
  // Closes them: what threads allocate from now on is not booked.
  void stop();

  using Number = BookNumber;

  // The calling thread's book, opened if need be, when it has allocated an object of this size.
  Number own(JNIEnv* jni, std::int64_t size) {
    const Book* const book = t_own.book;
    if (book == nullptr || book->unsettled > 0 || book->counter_of == Counter::kHidden) [[unlikely]]
      return settled_own(jni, size);
    return book->number;
  }

  // After own(), on the same thread and in the same Reading: what it saw was recorded under `seq`,
  // or dropped. Counted after the record is in the ring, never before.
  void saw(const SiteEntry& one, std::uint64_t seq) {
    count({1, 0, one.weight, static_cast<double>(one.size) * one.weight, seq}, one);
  }
  void dropped(const SiteEntry& one) {
    count({1, 1, one.weight, static_cast<double>(one.size) * one.weight, 0}, one);
  }

  // The calling thread starts anew at its present counter: what it allocated before is not booked.
  void rebase_current(JNIEnv* jni);

  // The JVMTI events, on the thread that starts or ends. Switched on before the first start() and
  // never off again, or a book could outlive its thread.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni);

  // All books at one moment, which is when `last_seq` is asked for the newest record's seq.
  enum class What { kTotals, kTotalsAndSites };
  BooksMoment moment(What what, const std::function<std::uint64_t()>& last_seq) const;

  // That sites have.
  void add_names(NamesInUse& used) const;

 private:
  // Once, before a counter is read.
  void check_counters(JNIEnv* jni);
  bool has_counters() const { return allocated_ && !counters_are_wrong_; }

  // What a book is kept under: the VM's structure of its thread. Where the VM shows no counters,
  // anything that is the thread's own.
  using Key = AllocatedBytes::VmThread;

  // Who may read the counter of a book's thread.
  enum class Counter {
    kShared,  // anybody, under the mutex: ThreadEnd takes the book away
    kHidden,  // the thread itself: the VM hides it from us, so nothing will tell of its end
    kNone,    // the VM shows none
  };

  struct Book {
    Book() {}  // the journal is left as it is
    Number number = 0;
    std::int64_t thread_id = 0;
    bool carrier = false;
    Counter counter_of = Counter::kNone;
    Key key = 0;
    SeenCounter seen;
    SiteJournal journal;
    std::atomic<std::int64_t> base{0};     // the thread's counter when the book was opened
    std::atomic<std::int64_t> counter{0};  // last value read
    int unsettled = 0;                     // records that may be of objects made before that
  };

  // How the calling thread stands. Past ThreadEnd it has no book and never gets one again: its key
  // is about to be reused.
  struct Own {
    Book* book = nullptr;
    bool ended = false;
  };
  static constinit thread_local Own t_own;

  Key own_key(JNIEnv* jni) const;
  Book* own_book(JNIEnv* jni, std::int64_t size);
  Number settled_own(JNIEnv* jni, std::int64_t size);
  // In its caller, so that nothing is put together in memory first.
  [[gnu::always_inline]] void count(Seen seen, const SiteEntry& one) {
    Book* const own = t_own.book;
    if (own == nullptr) [[unlikely]]
      return count_past_end(seen, one);
    if (Sites* const sites = this->sites(); sites != nullptr) {
      seen.entries = sites->write(own->journal, one);
    }
    own->seen.add(seen);
  }
  void count_past_end(const Seen& seen, const SiteEntry& one);
  // A new book, or the one that is there. Lock held.
  Book& open(Key key, Counter counter_of, std::int64_t base, std::int64_t thread_id = 0,
             bool carrier = false);
  bool is_carrier(JNIEnv* jni, jthread thread) const;
  ThreadBytes balance(Book& book, const Seen& seen) const;
  void refresh(Book& book) const;
  void settle(Book& book, std::int64_t size);

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  const std::optional<AllocatedBytes> allocated_;
  bool checked_ = false;
  std::atomic<bool> counters_are_wrong_{false};

  mutable std::mutex mutex_;
  std::unordered_map<Key, std::unique_ptr<Book>> books_;
  std::unordered_set<Key> ending_;  // past ThreadEnd, address not yet reused
  EndedThreads ended_;
  Number last_number_ = 0;
  bool running_ = false;
  std::shared_ptr<Sites> sites_;
  std::atomic<Sites*> sites_in_use_{nullptr};
};

}  // namespace ddm
