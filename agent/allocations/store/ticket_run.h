// The tickets that a thread has drawn from a ring and not yet used.
//
// A ring's next ticket is one number that all threads raise. Where several record at the same time,
// that line of memory goes from processor to processor with each record, and so do the slots, which
// lie side by side. So a thread that keeps meeting others there draws several tickets at once, and
// has so many slots to itself. One that meets nobody draws one at a time, and leaves no gaps.
//
// Records are in the order of their seqs, up to what a run holds back: its tickets are used as long
// as few others have been drawn since, or it is still the same tick of the clock. What is left of it
// then nobody uses: at most one ticket in kShare of those that the thread drew.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ddm {

class TicketRun {
 public:
  static constexpr std::uint32_t kMost = 8;
  static constexpr std::uint64_t kNear = 64;

  // The next ticket. `of`: which runs are good still. `most`: new ones at once. draw(n): the first
  // of n new ones; peek(): what it would be now.
  template <typename Draw, typename Peek>
  std::uint64_t next(std::uint64_t of, std::int64_t time_ms, std::uint32_t most, Draw draw,
                     Peek peek) {
    const bool same = of_ == of;
    if (next_ != end_ && same && time_ms_ == time_ms) return next_++;
    if (time_ms_ != time_ms) {
      time_ms_ = time_ms;
      drawn_ = 0;
    }
    if (same && next_ != end_ && peek() - end_ <= kNear) return next_++;
    of_ = of;
    const std::uint32_t count =
        meets_others_ ? std::clamp(drawn_ / kShare, std::uint32_t{1}, most) : 1;
    next_ = draw(count);
    meets_others_ = same && next_ != end_;
    end_ = next_ + count;
    drawn_ += count;
    return next_++;
  }

  bool empty() const { return next_ == end_; }
  // The next one, if nobody else draws before that; 0: somebody is likely to.
  std::uint64_t likely() const { return empty() && meets_others_ ? 0 : next_; }

 private:
  static constexpr std::uint32_t kShare = 32;

  std::uint64_t next_ = 0, end_ = 0;
  std::uint64_t of_ = 0;
  std::int64_t time_ms_ = 0;
  std::uint32_t drawn_ = 0;  // in that tick
  bool meets_others_ = false;
};

}  // namespace ddm
