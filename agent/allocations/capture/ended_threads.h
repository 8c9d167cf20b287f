// The totals of ended threads: the most recent ones individually, all earlier ones as a sum. Copied
// into a BooksSnapshot; guarded by its owner.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "allocations/store/seen_counter.h"
#include "report/report.h"

namespace ddm {

class EndedThreads {
 public:
  void clear() noexcept;  // allocates nothing

  // Call when a thread's book is closed.
  void add(const ThreadBytes& bytes, const Seen& seen, bool carrier);

  // Adds an allocation recorded after ThreadEnd. The thread's counter can no longer be read, so
  // exactly this much counts as allocated.
  void add_past_end(const Seen& seen, std::int64_t allocated_bytes);

  // The sum of the earlier threads is last, under a name of its own.
  std::vector<ThreadBytes> threads() const;
  const Seen& seen() const { return seen_; }  // of all of them
  std::int64_t carriers_unattributed_bytes() const { return carriers_unattributed_bytes_; }

 private:
  void sum_up_oldest();

  std::deque<ThreadBytes> last_;  // newest at the back
  ThreadBytes earlier_;           // the sum of all earlier ones
  Seen seen_;
  std::int64_t carriers_unattributed_bytes_ = 0;
};

}  // namespace ddm
