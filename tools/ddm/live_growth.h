// Live objects by site at several collections, and the sites that grow from each to the next.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "json_values.h"
#include "text_pieces.h"

namespace ddm {

// Objects of one site at one collection: the survivors, and those that had survived one before.
struct Survived {
  std::int64_t count = 0, bytes = 0;
  std::int64_t old_count = 0;
};

// Parses the list of live objects at one moment (live_list() of report/report.h), piece by piece.
class LiveMoment {
 public:
  explicit LiveMoment(double seconds) : seconds_(seconds) {}

  // Of the VM, as far as the target has seen them.
  std::int64_t collections() const { return collections_; }
  // How often tracking had been switched on: each time the figures begin anew.
  std::int64_t period() const { return period_; }
  // Some objects stand for several (interval=, live=1/N).
  bool estimated() const { return estimated_; }

  bool feed(std::string_view piece);  // false: not such a list
  bool complete() const {
    return begun_ && !lines_of_list_.stopped() && lines_of_list_.rest().empty();
  }

 private:
  friend class LiveGrowth;
  bool line(std::string_view line);

  double seconds_;  // since the watch began
  std::int64_t collections_ = 0;
  std::int64_t period_ = 0;
  LineSplitter lines_of_list_;
  bool begun_ = false;
  bool estimated_ = false;
  std::unordered_map<std::uint64_t, Survived> sites_;     // by the hash of class and stack
  std::unordered_map<std::uint64_t, std::string> lines_;  // kept for the newest moment only
};

struct GrowingSite {
  std::string class_name;
  Json stack = Json::array();
  Survived alive;          // at the end
  std::int64_t grown = 0;  // objects, since the second moment
  double bytes_per_minute = 0, objects_per_minute = 0;
};

// Leaves out sites that only replace objects from before the sites were counted: of a class that has
// grown by less than half of what its sites have. `grown`: objects of each class as a whole, since
// the second moment.
void drop_replaced_sites(std::vector<GrowingSite>& sites,
                         const std::map<std::string, std::int64_t>& grown);

class LiveGrowth {
 public:
  void add(LiveMoment moment);
  std::size_t moments() const { return moments_.size(); }
  bool estimated() const { return !moments_.empty() && moments_.back().estimated(); }

  // False: no site has grown between all moments so far, and further moments cannot change that.
  bool may_grow() const;

  // The fastest growing first. A site grows if it does so between all moments, each time at
  // a third of its mean rate or more, and if some of its objects have survived two collections: a cache
  // that replaces its entries does not.
  std::vector<GrowingSite> growing() const;

 private:
  // A figure of a site at each moment.
  std::vector<double> series(std::uint64_t site, std::int64_t Survived::*figure) const;

  std::vector<LiveMoment> moments_;
};

}  // namespace ddm
