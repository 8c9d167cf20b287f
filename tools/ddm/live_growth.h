// What is alive at several collections, by site, and which sites grow from each to the next.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "output.h"

namespace ddm {

// Of one site, as of one collection: what has survived it, and of that what has survived another one.
struct Survived {
  std::int64_t count = 0, bytes = 0;
  std::int64_t old_count = 0;
};

// One moment's list of what lives (live_list() of report/report.h), piece by piece.
class LiveMoment {
 public:
  explicit LiveMoment(double seconds) : seconds_(seconds) {}

  bool take(std::string_view piece);  // false: this is no such list
  bool complete() const { return begun_ && text_.empty(); }
  double seconds() const { return seconds_; }  // since the watch began
  std::int64_t gc() const { return gc_; }

 private:
  friend class LiveGrowth;
  bool line(std::string_view line);

  const double seconds_;
  std::string text_;
  bool begun_ = false;
  std::int64_t gc_ = 0;
  std::unordered_map<std::uint64_t, Survived> sites_;     // by the hash of class and stack
  std::unordered_map<std::uint64_t, std::string> lines_;  // only the newest moment keeps them
};

struct GrowingSite {
  std::string class_name;
  Json stack = Json::array();
  Survived alive;  // at the end
  double bytes_per_minute = 0, objects_per_minute = 0;
};

class LiveGrowth {
 public:
  void add(LiveMoment moment);
  std::size_t moments() const { return moments_.size(); }
  std::int64_t collections() const;  // from the first moment to the last one

  // Fastest growing first. A site grows if it does so from each moment to the next, never by less
  // than a third of its mean, and if some of it has survived two collections: what a cache throws
  // out and takes in again does not. `net`: by how many bytes each class has grown in all, or null
  // where what the sites say is all there is; a class that has grown by less than half of what its
  // sites say only replaces what was there before these were counted.
  std::vector<GrowingSite> growing(const std::map<std::string, std::int64_t>* net) const;

 private:
  std::vector<LiveMoment> moments_;
};

}  // namespace ddm
