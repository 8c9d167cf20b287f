// A book per thread: how much of its allocation was seen; allocated - seen = unattributed.
//
// Books belong to platform threads (carriers, for virtual threads), like the VM's counters. A
// thread adds to its own book without a lock. The mutex guards the list, and keeps a JavaThread
// alive while it is read: ThreadEnd removes the book under it before the VM frees the JavaThread.
// begin() precedes the first record of a tracking period and stop() follows the last, so that
// allocated >= seen always holds. The agent's own threads have no books.
//
// Neither engine sees jdk.internal.vm.StackChunk, the stacks of unmounted virtual threads: what is
// unattributed of carriers, which allocate them, is an upper bound of these.
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

#include "allocations/capture/allocated_bytes.h"
#include "allocations/capture/books_snapshot.h"
#include "allocations/capture/ended_threads.h"
#include "allocations/store/seen_counter.h"
#include "report/report.h"

namespace ddm {

class ThreadBooks {
 public:
  ThreadBooks(jvmtiEnv* jvmti, jfieldID thread_id_field, std::optional<AllocatedBytes> allocated);

  // From the next start() on allocations are counted at these sites; null: at none. Returns the
  // previous ones, which threads inside a Reading may still use. Call while nothing is counted.
  std::shared_ptr<Sites> use(std::shared_ptr<Sites> sites);
  std::shared_ptr<Sites> shared_sites() const {
    const std::lock_guard lock(mutex_);
    return sites_;
  }
  // Moves the threads' counts from their journals to the sites.
  void drain_journals();
  // The same, and attributes the allocations since the last poll to that time (SiteTimes).
  void poll_times(std::int64_t ms);
  Sites* sites() const { return sites_in_use_.load(std::memory_order_acquire); }

  // The layout of a thread's counters, if start() has verified it.
  std::optional<AllocatedLayout> allocated_layout() const {
    return has_counters() ? std::optional(allocated_->layout()) : std::nullopt;
  }
  // The calling thread's JavaThread, the base of these offsets.
  AllocatedBytes::VmThread vm_thread(JNIEnv* jni) const { return allocated_->current(jni); }

  // start() opens the threads' books, begin() begins them with their current counters, stop() closes
  // them: later allocations are not counted. The last two may be called at a safepoint, for which who
  // holds the mutex does not wait (but for start()).
  void start(JNIEnv* jni);
  void begin();
  void stop();
  // After stop(): those that were seen in spite of it are counted; or as if it had not been.
  void add_seen_since();
  void go_on();
  // In VMDeath: reads no counter of a thread that has ended without ThreadEnd, as from JDK 26 on.
  // Returns the books of those ended since the last call: a counter read before may be anything.
  std::vector<BookNumber> part_from_ended(JNIEnv* jni);

  using Number = BookNumber;
  // The calling thread's book, opened on demand, when it has allocated an object of this size.
  Number current_book(JNIEnv* jni, std::int64_t size) {
    const Book* const book = t_own.book;
    if (book == nullptr || book->unsettled > 0 || book->counter_of == Counter::kHidden) [[unlikely]]
      return settle_current(jni, size);
    return book->number;
  }

  // Call after current_book(), on the same thread and in the same Reading, before the record is in
  // the ring, and count_recorded() after that.
  void begin_record() {
    if (Book* const own = t_own.book) own->seen.begin();
  }
  void count_recorded(const SiteEntry& one, std::uint64_t seq) {
    count({1, 0, one.weight, static_cast<double>(one.size) * one.weight, seq}, one);
  }
  void dropped(const SiteEntry& one) {
    count({1, 1, one.weight, static_cast<double>(one.size) * one.weight, 0}, one);
  }
  // After current_book(): the object is the agent's, none of what this thread has allocated.
  void leave_out(std::int64_t size);

  // JVMTI ThreadStart and ThreadEnd, on the thread concerned. Enabled before the first start() and
  // never disabled, or a book could outlive its thread.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni);

  // A snapshot of the books' totals; with `read_ring`, which reads the records at that moment, of
  // the sites, too.
  BooksSnapshot snapshot(const std::function<void()>& read_ring = nullptr) const;

  // Adds the names that the sites refer to.
  void add_names(NamesInUse& used) const;

 private:
  // Call once, before a counter is read.
  void check_counters(JNIEnv* jni);
  bool has_counters() const { return allocated_ && !counters_are_wrong_; }

  // The key of a book: its JavaThread, or any address of the thread where there are no counters.
  using Key = AllocatedBytes::VmThread;

  // Who may read the counter of a book's thread.
  enum class Counter {
    kShared,  // any, under the mutex, since ThreadEnd removes the book
    kGone,    // none any more: the thread has ended
    kHidden,  // only the thread itself: it is hidden from JVMTI, so it has no ThreadEnd
    kNone,    // the VM has no counter
  };

  struct Book {
    Book() {}  // leaves the journal uninitialized
    Number number = 0;
    std::int64_t thread_id = 0;
    bool carrier = false;
    Counter counter_of = Counter::kNone;
    Key key = 0;
    SeenCounter seen;
    SiteJournal journal;
    std::atomic<std::int64_t> base{0};     // counter when the book was opened
    std::atomic<std::int64_t> counter{0};  // last value read
    int unsettled = 0;                     // records that may be of objects allocated before that
  };

  // The calling thread's state. After ThreadEnd it has no book and gets none, since its key is
  // about to be reused.
  struct Own {
    Book* book = nullptr;
    bool ended = false;
  };
  static constinit thread_local Own t_own;

  Key current_key(JNIEnv* jni) const;
  Book* open_current(JNIEnv* jni, std::int64_t size);
  Number settle_current(JNIEnv* jni, std::int64_t size);
  // Inlined, and nothing takes the arguments' address, so that they stay in registers.
  [[gnu::always_inline]] void count(Seen seen, const SiteEntry& one) {
    Book* const own = t_own.book;
    if (own == nullptr) [[unlikely]]
      return count_past_end(seen, one);
    if (Sites* const sites = this->sites(); sites != nullptr) {
      seen.entries = sites->write(own->journal, one);
    }
    own->seen.add(seen);
  }
  void count_past_end(Seen seen, SiteEntry one);
  // Returns the book, opened if needed. Lock held.
  Book& open(Key key, Counter counter_of, std::int64_t base, std::int64_t thread_id = 0,
             bool carrier = false);
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
  std::unordered_set<Key> ending_;  // past ThreadEnd, address not reused yet
  EndedThreads ended_;
  Number last_number_ = 0;
  bool running_ = false;
  std::shared_ptr<Sites> sites_;
  std::atomic<Sites*> sites_in_use_{nullptr};
};

}  // namespace ddm
