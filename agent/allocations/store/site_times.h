// The allocations of each site by time: the increments from one poll of the table to the next, in
// moments of equal length since tracking began.
//
// Memory is bounded: beyond the limits of moments or shares, adjacent moments are merged and the
// length doubles; with fewer than twice kFewestMoments the smallest sites lose their shares instead,
// and get none until they are among the larger ones. One thread at a time (under the lock of the
// Sites); pure.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "allocations/store/site_moments.h"
#include "allocations/store/site_table.h"
#include "core/reserved_array.h"

namespace ddm {

class SiteTimes {
 public:
  static constexpr std::int64_t kFirstStep = 100;  // ms
  static constexpr std::size_t kMostMoments = 400;
  static constexpr std::size_t kFewestMoments = 50;
  static constexpr std::size_t kMostShares = 400'000;
  // The increments of a poll up to this many steps late are spread evenly; later ones are not.
  static constexpr std::size_t kMostLate = 8;

  struct Share {
    SiteNumber site = 0;
    float count = 0;  // with seven digits: it is for drawing
    double bytes = 0;

    void operator+=(const Share& more) {
      count += more.count;
      bytes += more.bytes;
    }
  };
  using Moments = SiteMoments<Share>;

  // `sites`: bound of their numbers.
  explicit SiteTimes(std::size_t sites)
      : changed_((sites + kWordBits - 1) / kWordBits), polled_(sites), partly_(sites) {}
  bool good() const { return changed_.good() && polled_.good(); }

  // Call before each change of a site's sum.
  void before_change(SiteNumber site, const SiteSum& sum) {
    std::uint64_t& word = changed_[site / kWordBits];
    const std::uint64_t bit = std::uint64_t{1} << site % kWordBits;
    if ((word & bit) != 0) return;
    word |= bit;
    polled_[changes_++] = {site, static_cast<float>(sum.count), sum.bytes};
  }
  // Calls use(site) for each that has changed since the last poll.
  template <typename Use>
  void for_each_change(Use use) const {
    for (std::size_t i = 0; i < changes_; ++i) use(polled_[i].site);
  }
  // `ms`: since tracking began.
  void poll(const SiteTable& sites, std::int64_t ms);

  std::int64_t step_ms() const { return step_; }
  // The first one begins with tracking. The last moment may contain a site several times.
  const Moments& moments() const { return moments_; }
  // True: some of the site's allocations are in no moment, because the site was too small.
  bool is_partly_timed(SiteNumber site) const { return partly_[site]; }

 private:
  static constexpr std::size_t kWordBits = 64;
  // Orders sites by size, equal ones by number.
  struct Rank {
    double bytes = 0;
    SiteNumber site = 0;
    auto operator<=>(const Rank&) const = default;
  };

  // Makes the increments since the last poll of the changed sites that are to have times.
  std::span<const Share> increments(const SiteTable& sites);
  void begin_moment(std::size_t moment);
  void add_part(const Share& share, std::size_t part, std::size_t parts);
  void halve();
  void drop_smallest(const SiteTable& sites);

  std::int64_t step_ = kFirstStep;
  std::size_t last_ = 0;   // the moment of the last poll
  std::size_t polls_ = 0;  // that are in the last moment
  Moments moments_;
  // The sites changed since the last poll, each once: bits by site, and sums as of that poll.
  ReservedArray<std::uint64_t> changed_;
  ReservedArray<Share> polled_;
  std::size_t changes_ = 0;
  std::vector<bool> partly_;  // by site
  Rank least_;                // smaller sites get no shares
};

// For a reader.
struct TimesReading {
  std::int64_t step_ms = 0;              // length of a moment; 0: times are unknown
  SiteTimes::Moments moments;            // consecutive
  std::vector<SiteNumber> partly_timed;  // sites of which some allocations are in no moment
};

}  // namespace ddm
