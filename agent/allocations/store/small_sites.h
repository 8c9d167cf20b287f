// What is alive at sites that have made too few objects for one followed in N to tell.
//
// A site that has made three objects has a followed one in one case of N / 3: with none it would
// seem to have nothing alive, and with one its other N - 1 objects are at other sites. So the small
// sites of a class are estimated together, and each gets its share by what it has made. Rounding is
// carried on from site to site: the sites of a class add up to its estimate.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>

#include "allocations/store/live_ages.h"
#include "allocations/store/live_sum.h"
#include "allocations/store/site_set.h"

namespace ddm {

// The part of a total that has not been given to a site yet: what rounding leaves of one goes to the
// next. So each is off by less than one, and so is the sum of any that follow each other.
class Rest {
 public:
  static constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
  std::int64_t take(double share, std::int64_t most = kAny);

 private:
  double rest_ = 0;
};

// Of sites whose own objects tell.
class OwnLives {
 public:
  explicit OwnLives(std::int64_t now_ms) : now_ms_(now_ms) {}
  // `count` and `bytes`: what the site is told to have allocated in all.
  SiteLife take(const LiveSum& sum, std::int64_t count = Rest::kAny,
                std::int64_t bytes = Rest::kAny);

 private:
  const std::int64_t now_ms_;
  Rest seen_count_, seen_bytes_, live_count_, live_bytes_;
};

class SmallSites {
 public:
  SmallSites(std::uint32_t one_in, std::int64_t now_ms) : one_in_(one_in), now_ms_(now_ms) {}

  bool has(const LiveSum& sum) const { return sum.is_small(one_in_); }

  // All of them, before the first share(). `ages`: null for none.
  void add(NameId class_id, const LiveSum& sum, const AgeSum* ages = nullptr);

  // Once for each site that was added. `most_count` and `most_bytes`: what the site is told to
  // have allocated in all.
  struct Share {
    SiteLife life;
    LiveAges ages;  // without class [0]
  };
  Share share(NameId class_id, const LiveSum& sum, std::int64_t most_count = Rest::kAny,
              std::int64_t most_bytes = Rest::kAny);

 private:
  struct OfClass {
    LiveSum sum;
    AgeSum ages;
    Rest count, bytes, lived_ms, top_count, top_bytes;
    std::array<Rest, AgeClass::kCount> aged;
  };

  const std::uint32_t one_in_;
  const std::int64_t now_ms_;
  std::unordered_map<NameId, OfClass> classes_;
};

}  // namespace ddm
