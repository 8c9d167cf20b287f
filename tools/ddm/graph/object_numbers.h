// Maps the addresses of a heap dump's objects to numbers, from 0 in the order of the dump.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

namespace ddm {

using ObjectNumber = std::uint32_t;

class ObjectNumbers {
 public:
  static constexpr ObjectNumber kNone = std::numeric_limits<ObjectNumber>::max();

  void add(std::uint64_t id) { ids_.push_back(id); }
  std::size_t size() const { return ids_.size(); }

  // To be called after the last add() and before find().
  void complete() {
    if (ids_.empty()) return;
    if (!std::ranges::is_sorted(ids_)) {
      order_.resize(ids_.size());
      std::iota(order_.begin(), order_.end(), 0);
      std::ranges::sort(order_,
                        [this](ObjectNumber a, ObjectNumber b) { return ids_[a] < ids_[b]; });
      std::vector<std::uint64_t> sorted(ids_.size());
      for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = ids_[order_[i]];
      ids_ = std::move(sorted);
    }
    // The number of parts of the address range: one to two an object.
    const std::uint64_t span = ids_.back() - ids_.front();
    while ((span >> shift_) > ids_.size()) ++shift_;
    parts_.resize((span >> shift_) + 2);
    std::size_t at = 0;
    for (std::uint64_t part = 0; part < parts_.size(); ++part) {
      while (at < ids_.size() && (ids_[at] - ids_.front()) >> shift_ < part) ++at;
      parts_[part] = static_cast<ObjectNumber>(at);
    }
  }

  // kNone: no object has this address.
  ObjectNumber find(std::uint64_t id) const {
    if (ids_.empty() || id < ids_.front() || id > ids_.back()) return kNone;
    const std::uint64_t part = (id - ids_.front()) >> shift_;
    const auto end = ids_.begin() + parts_[part + 1];
    const auto there = std::lower_bound(ids_.begin() + parts_[part], end, id);
    if (there == end || *there != id) return kNone;
    const auto at = static_cast<ObjectNumber>(there - ids_.begin());
    return order_.empty() ? at : order_[at];
  }

 private:
  std::vector<std::uint64_t> ids_;   // in the order of the dump, sorted when complete
  std::vector<ObjectNumber> order_;  // of sorted ones their numbers; empty: they were in order
  std::vector<ObjectNumber> parts_;  // the first one of each part
  int shift_ = 0;
};

}  // namespace ddm
