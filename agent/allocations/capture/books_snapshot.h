// A snapshot of all threads' books: each thread's counts, and the newest record that they include.
// Owned by the reader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "allocations/capture/ended_threads.h"
#include "allocations/store/seen_counter.h"
#include "allocations/store/site_set.h"
#include "report/report.h"

namespace ddm {

// Unique number of a book. 0: recorded after ThreadEnd, without a book.
using BookNumber = std::uint32_t;

struct BookTotals {
  std::int64_t samples = 0;
  std::int64_t dropped = 0;
  std::int64_t seen = 0;
  std::int64_t seen_bytes = 0;
  std::optional<std::int64_t> allocated_bytes;   // the VM's counters
  std::int64_t carriers_unattributed_bytes = 0;  // allocated by carriers, but not seen
  // Largest unattributed first; names only for threads that are no Java threads.
  std::vector<ThreadBytes> threads;
};

class BooksSnapshot {
 public:
  // How objects are followed, for records whose threads have not counted them yet.
  struct Following {
    std::int64_t began_ms = 0;  // on the clock of the records
    bool each = true;           // false: one object in several
  };

  // The counters of these threads are unknown.
  void distrust(const std::vector<BookNumber>& threads) {
    for (const BookNumber number : threads) threads_[number].late = true;
  }
  // Counts the records that were in the ring at that moment but not yet in their thread's book, so
  // that recorded = seen - dropped - overwritten. With `following` they count as just born, so
  // that every object seen is followed here, too.
  void count_late(const RecordSet& records, const std::optional<Following>& following);

  BookTotals totals() const;

  // The collection as of which the live figures are; nullopt: no objects are followed.
  std::optional<std::uint64_t> live_gc() const { return live_.gc; }

  // Call after count_late(): the sites' totals are then those seen. `live_ms`: how long objects
  // have been followed.
  SiteSet sites(const BookTotals& totals, std::int64_t live_ms);

 private:
  friend class ThreadBooks;

  struct Thread {
    ThreadBytes bytes;
    Seen seen;
    std::uint64_t counted_up_to = 0;  // seq of its newest record that its book includes
    bool carrier = false;
    bool late = false;  // began after the snapshot, or has ended: its counter is unknown
  };

  std::unordered_map<BookNumber, Thread> threads_;  // with a book
  EndedThreads ended_;                              // with closed books
  BookNumber last_number_ = 0;
  bool has_counters_ = false;
  std::shared_ptr<const Sites> sites_;  // null: not counted, or not requested
  SiteReadings site_sums_;
  LiveReading live_;
  TimesReading site_times_;
  std::vector<SiteEntry> site_entries_;  // not included in the sums
};

}  // namespace ddm
