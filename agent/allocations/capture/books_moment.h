// All threads' books at one moment: how things stand, what every thread has counted, and up to
// which record. A reader's own copy.
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

// A book has a number that no other one ever had. 0: a thread past its end has none.
using BookNumber = std::uint32_t;

struct BookTotals {
  std::int64_t samples = 0;
  std::int64_t dropped = 0;
  std::int64_t seen = 0;
  std::int64_t seen_bytes = 0;
  std::optional<std::int64_t> allocated_bytes;   // the VM's own count
  std::int64_t carriers_unattributed_bytes = 0;  // allocated, and not seen
  // Most unattributed first; names only of what is no Java thread.
  std::vector<ThreadBytes> threads;
};

class BooksMoment {
 public:
  std::uint64_t last_seq() const { return last_seq_; }

  // How objects are followed whose threads have not told yet that they are.
  struct Following {
    std::int64_t began_ms = 0;  // by the clock of the records
    bool each = true;           // false: one of several
  };

  // Of records up to last_seq(), counts those that threads had in the ring already, but not yet in
  // their books: what is recorded is then what was seen less what was dropped or overwritten. With
  // `following` they have just been born, so that all that was seen is followed here too.
  void count_late(const RecordSet& records, const std::optional<Following>& following);

  BookTotals totals() const;

  // The collection that the sites' live figures are of; none: nothing is followed.
  std::optional<std::uint64_t> live_gc() const { return live_gc_; }

  // Once all that is late is counted: what the sites have is what was seen.
  // `live_ms`: for how long objects have been followed.
  SiteSet sites(const BookTotals& totals, std::int64_t live_ms);

 private:
  friend class ThreadBooks;

  struct Thread {
    ThreadBytes bytes;
    Seen seen;
    std::uint64_t counted_up_to = 0;  // the newest of its records in its book
    bool carrier = false;
    bool late = false;  // began after the moment: it has no counter here
  };

  std::unordered_map<BookNumber, Thread> threads_;  // with a book
  EndedThreads ended_;                              // whose books are closed
  BookNumber last_number_ = 0;
  std::uint64_t last_seq_ = 0;
  bool has_counters_ = false;
  std::shared_ptr<const Sites> sites_;  // null: not counted, or not wanted
  std::vector<SiteReading> site_sums_;
  std::optional<std::uint64_t> live_gc_;
  std::vector<SiteMoment> site_history_;
  std::vector<SiteAges> site_ages_;
  std::vector<SiteEntry> site_entries_;  // that are not in the sums
};

}  // namespace ddm
