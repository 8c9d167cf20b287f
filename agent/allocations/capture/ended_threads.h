// What the books of threads that have ended leave behind: the last of them one by one, all before
// as one sum. Copied into a BooksMoment as it is; whoever holds it guards it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "allocations/store/seen_counter.h"
#include "report/report.h"

namespace ddm {

class EndedThreads {
 public:
  void clear() { *this = {}; }

  // A thread's book is closed.
  void add(const ThreadBytes& bytes, const Seen& seen, bool carrier);

  // Seen by a thread past its end. Its counter is no longer there to be read: it counts as having
  // allocated just that.
  void add_past_end(const Seen& seen, std::int64_t allocated_bytes);

  // The sum of the older ones comes last, under a name of its own.
  std::vector<ThreadBytes> threads() const;
  const Seen& seen() const { return seen_; }  // of all of them
  std::int64_t carriers_unattributed_bytes() const { return carriers_unattributed_bytes_; }

 private:
  void sum_up_oldest();

  std::deque<ThreadBytes> last_;  // newest at the back
  ThreadBytes earlier_;           // the sum of all before
  Seen seen_;
  std::int64_t carriers_unattributed_bytes_ = 0;
};

}  // namespace ddm
