// How many words of one kind a CallTree gets, and for which stacks: the first three quarters of the
// room go to whoever comes first, the rest to what comes up often. A compiler has tens of millions of
// calling contexts, most of which come up once; those that make up its figures are far fewer.
//
// A node needs four hits then; each time half of what was left is gone, the next ones need four times
// as many. So there is always room for the few that matter, and nothing is ever taken back.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/reserved_array.h"

namespace ddm {

class NodeRoom {
 public:
  explicit NodeRoom(std::uint32_t size) : size_(size) { decide(); }

  // Any thread: whether what has come up so often is to have a node.
  bool is_open_to(std::uint32_t hits) const {
    return hits >= needed_.load(std::memory_order_relaxed);
  }
  // One thread at a time.
  void take(std::uint32_t words) {
    taken_ += words;
    decide();
  }

 private:
  static constexpr std::uint32_t kFirstNeeded = 4, kNeededMore = 4;
  static constexpr std::uint32_t kMostNeeded = 1u << 28;
  static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();

  void decide() {
    const std::uint32_t for_often = size_ / 4, left = size_ - std::min(taken_, size_);
    std::uint32_t needed = left > for_often ? 1 : kFirstNeeded;
    for (std::uint32_t half = for_often / 2; left <= half && needed < kMostNeeded; half /= 2) {
      needed *= kNeededMore;
    }
    needed_.store(left == 0 ? kNever : needed, std::memory_order_relaxed);
  }

  const std::uint32_t size_;
  std::uint32_t taken_ = 0;
  std::atomic<std::uint32_t> needed_{kNever};
};

// How often what has no node has come up lately, by hash: | 40 bits of the hash | 24 bits of hits |.
// Four share a few places, or two that come up in turns would keep each other from it for good. A
// newcomer costs the one with the fewest hits one of them, and gets the place of one that has none
// left. Any thread, no lock: hits may be lost.
class SeldomNodes {
 public:
  bool good() const { return words_.good(); }

  // Once more: how often it has come up.
  std::uint32_t hit(std::uint64_t hash) {
    std::atomic<std::uint64_t>* const places = &words_[hash % kPlaces / kShared * kShared];
    std::size_t fewest = 0;
    std::uint64_t fewest_hits = kHits + 1;
    for (std::size_t i = 0; i < kShared; ++i) {
      const std::uint64_t word = places[i].load(std::memory_order_relaxed);
      const std::uint64_t hits = word & kHits;
      if (((word ^ hash) & ~kHits) == 0 && hits > 0) {
        const std::uint64_t more = std::min(hits + 1, kHits);
        places[i].store((hash & ~kHits) | more, std::memory_order_relaxed);
        return static_cast<std::uint32_t>(more);
      }
      if (hits < fewest_hits) {
        fewest = i;
        fewest_hits = hits;
      }
    }
    // Of a word with a hit less the hash is the same.
    const std::uint64_t word = places[fewest].load(std::memory_order_relaxed);
    places[fewest].store((word & kHits) > 1 ? word - 1 : (hash & ~kHits) | 1,
                         std::memory_order_relaxed);
    return 1;
  }

 private:
  static constexpr std::uint64_t kHits = (1u << 24) - 1;
  static constexpr std::size_t kPlaces = 65536, kShared = 4;

  ReservedArray<std::atomic<std::uint64_t>> words_{kPlaces};
};

}  // namespace ddm
