#include "allocations/capture/ended_threads.h"

#include <cmath>

namespace ddm {

void EndedThreads::clear() noexcept {
  last_.clear();
  earlier_ = {};
  seen_ = {};
  carriers_unattributed_bytes_ = 0;
}

void EndedThreads::add(const ThreadBytes& bytes, const Seen& seen, bool carrier) {
  constexpr std::size_t kShownOneByOne = 256;
  last_.push_back(bytes);
  seen_.add(seen);
  if (carrier) carriers_unattributed_bytes_ += bytes.unattributed_bytes();
  if (last_.size() > kShownOneByOne) sum_up_oldest();
}

void EndedThreads::sum_up_oldest() {
  const ThreadBytes& oldest = last_.front();
  earlier_.allocated_bytes += oldest.allocated_bytes;
  earlier_.seen_bytes += oldest.seen_bytes;
  earlier_.seen += oldest.seen;
  last_.pop_front();
}

void EndedThreads::add_past_end(const Seen& seen, std::int64_t allocated_bytes) {
  seen_.add(seen);
  earlier_.seen_bytes += std::llround(seen.bytes);
  earlier_.seen += std::llround(seen.count);
  earlier_.allocated_bytes += allocated_bytes;
}

std::vector<ThreadBytes> EndedThreads::threads() const {
  std::vector<ThreadBytes> all(last_.begin(), last_.end());
  if (earlier_.allocated_bytes != 0) {
    all.push_back(earlier_);
    all.back().name = "(threads that ended earlier)";
  }
  return all;
}

}  // namespace ddm
