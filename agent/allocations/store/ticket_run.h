// The tickets that a thread has drawn from a ring and not used yet.
//
// All threads increment a ring's next ticket. If several record at the same time, that cache line
// moves between processors at every record, and so do the slots, which are adjacent. Therefore a
// thread that keeps meeting others draws several tickets at once, and so has several slots for
// itself. A thread that meets none draws one ticket at a time, and leaves no gaps.
//
// Records are in order of their seqs, except for what a run holds back: its tickets are used while
// few others have been drawn since, or during the same clock tick. The rest of the run is
// discarded: at most one in kShare of the tickets that the thread drew.
#pragma once

#include <algorithm>
#include <cstdint>

namespace ddm {

class TicketRun {
 public:
  static constexpr std::uint32_t kMost = 8;
  static constexpr std::uint64_t kNear = 64;

  // The next ticket. `of`: number of the runs that are still valid. `most`: maximum of tickets
  // drawn at once. draw(n): draws n tickets and returns the first; peek(): the next one, without
  // drawing it.
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
  // The next ticket, if no other thread draws before; 0: another thread is likely to.
  std::uint64_t likely() const { return empty() && meets_others_ ? 0 : next_; }

 private:
  static constexpr std::uint32_t kShare = 32;

  std::uint64_t next_ = 0, end_ = 0;
  std::uint64_t of_ = 0;
  std::int64_t time_ms_ = 0;
  std::uint32_t drawn_ = 0;  // during that tick
  bool meets_others_ = false;
};

}  // namespace ddm
