// Sums of a scope's allocations by class and stack: few sites, each of which recurs often. One
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "allocations/store/site_table.h"

namespace ddm {

class ScopeTally {
 public:
  struct Sum {
    NameId class_id = kUnknownName;
    TraceNumber trace = kNoTrace;
    std::int64_t objects = 0, bytes = 0;
  };

  // Throws std::bad_alloc, and then nothing was added.
  void add(const Sum& more) {
    if (places_.size() < 2 * (sums_.size() + 1)) grow();
    std::uint32_t& place = places_[place_of(more)];
    if (place == 0) {
      sums_.push_back({more.class_id, more.trace, 0, 0});
      place = static_cast<std::uint32_t>(sums_.size());
    }
    sums_[place - 1].objects += more.objects;
    sums_[place - 1].bytes += more.bytes;
  }
  void add(const ScopeTally& more) {
    for (const Sum& sum : more.sums_) add(sum);
  }
  // Keeps the memory.
  void clear() {
    sums_.clear();
    places_.assign(places_.size(), 0);
  }

  const std::vector<Sum>& sums() const { return sums_; }

 private:
  static constexpr std::size_t kFirstPlaces = 64;

  // The place of a sum's number, or the empty one for it. At least half of the places are empty.
  std::size_t place_of(const Sum& one) const {
    std::size_t at = (SiteSum::key_of(one.class_id, one.trace) * 0x9e3779b97f4a7c15U) >> 20;
    for (;; ++at) {
      at &= places_.size() - 1;
      if (places_[at] == 0) return at;
      const Sum& there = sums_[places_[at] - 1];
      if (there.class_id == one.class_id && there.trace == one.trace) return at;
    }
  }
  void grow() {
    sums_.reserve(places_.empty() ? kFirstPlaces : places_.size());
    std::vector<std::uint32_t> more(places_.empty() ? kFirstPlaces : 2 * places_.size());
    places_.swap(more);
    for (std::uint32_t i = 0; i < sums_.size(); ++i) places_[place_of(sums_[i])] = i + 1;
  }

  std::vector<Sum> sums_;
  std::vector<std::uint32_t> places_;  // 0: none, else 1 + the index of a sum
};

}  // namespace ddm
