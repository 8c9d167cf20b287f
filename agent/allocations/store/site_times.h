// When the allocations of each site were made: what has come at each site from one look at the table
// to the next, in moments of equal length since tracking began.
//
// Memory is bounded: when there are too many moments, or too much to tell of them, neighbours become
// one and the length doubles. One thread at a time (under the lock of the Sites); pure.
#pragma once

#include <cstdint>
#include <vector>

#include "allocations/store/site_table.h"

namespace ddm {

// The same by names, for a reader.
struct SiteShare {
  NameId class_id = kUnknownName;
  TraceNumber trace = kNoTrace;
  double count = 0, bytes = 0;
};
struct TimesReading {
  std::int64_t step_ms = 0;                     // 0: times are not known
  std::vector<std::vector<SiteShare>> moments;  // one after the other, each so long
};

class SiteTimes {
 public:
  static constexpr std::int64_t kFirstStep = 100;  // ms
  static constexpr std::size_t kMostMoments = 400;
  static constexpr std::size_t kMostShares = std::size_t{1} << 19;
  // A look that comes this many steps late is put where it was made; less is spread.
  static constexpr std::size_t kMostLate = 8;

  struct Share {
    SiteNumber site = 0;
    double count = 0, bytes = 0;
  };
  using Moment = std::vector<Share>;

  // `ms`: since tracking began.
  void look(const SiteTable& sites, std::int64_t ms);

  std::int64_t step_ms() const { return step_; }
  // The first one begins with tracking. A site may stand in a moment several times.
  const std::vector<Moment>& moments() const { return moments_; }

 private:
  struct Told {
    double count = 0, bytes = 0;
  };

  void add(const Share& share, std::size_t first, std::size_t last);
  void halve();

  std::int64_t step_ = kFirstStep;
  std::size_t last_ = 0;  // the moment of the last look
  std::size_t shares_ = 0;
  std::vector<Moment> moments_;
  std::vector<Told> told_;  // by site, as of the last look
};

}  // namespace ddm
