#include "allocations/store/live_history.h"

#include <utility>

namespace ddm {
namespace {

LiveHistory::Moment both(const LiveHistory::Moment& first, const LiveHistory::Moment& second) {
  LiveHistory::Moment sum{second.ms, {}};
  sum.changes.reserve(first.changes.size() + second.changes.size());
  auto a = first.changes.begin();
  for (LiveChange change : second.changes) {
    for (; a != first.changes.end() && a->site < change.site; ++a) sum.changes.push_back(*a);
    if (a != first.changes.end() && a->site == change.site) {
      change.seen_bytes += a->seen_bytes;
      change.dead_bytes += a->dead_bytes;
      ++a;
    }
    sum.changes.push_back(change);
  }
  sum.changes.insert(sum.changes.end(), a, first.changes.end());
  return sum;
}

}  // namespace

void LiveHistory::begin(std::int64_t ms) {
  if (changes_ > kMostChanges) halve();
  if (moments_.empty() || !moments_.back().changes.empty()) moments_.emplace_back();
  moments_.back().ms = ms;
}

void LiveHistory::add(const LiveChange& change) {
  moments_.back().changes.push_back(change);
  ++changes_;
}

void LiveHistory::halve() {
  std::vector<Moment> fewer;
  changes_ = 0;
  for (std::size_t i = 0; i < moments_.size(); i += 2) {
    fewer.push_back(i + 1 < moments_.size() ? both(moments_[i], moments_[i + 1])
                                            : std::move(moments_[i]));
    changes_ += fewer.back().changes.size();
  }
  moments_ = std::move(fewer);
}

}  // namespace ddm
