// Decides which stacks get words of one kind in a CallTree: the first three quarters of the room go
// to any new stack, the rest to stacks that recur often. A compiler has tens of millions of calling
// contexts, most of which occur once; those that make up its figures are far fewer.
//
// In the last quarter a node needs 16 hits; each time half of the remaining room is used, further
// nodes need four times as many. So there is always room for the few that matter, without eviction.
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

  // Any thread. Whether a stack with so many hits gets a node.
  bool is_open_to(std::uint32_t hits) const {
    return hits >= needed_.load(std::memory_order_relaxed);
  }
  // One thread at a time.
  void take(std::uint32_t words) {
    taken_ += words;
    decide();
  }

 private:
  static constexpr std::uint32_t kFirstNeeded = 16, kNeededMore = 4;
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

// Recent hits of stacks without a node, by hash: | 40 bits of the hash | 24 bits of hits |. Four
// places form a set, so that two alternating stacks do not evict each other forever. A stack that
// is not in its set subtracts its hits from the entry with the fewest, and evicts that entry if it
// has none left. Any thread, lock-free: hits may be lost.
class SeldomNodes {
 public:
  bool good() const { return words_.good(); }

  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&words_[first_of(hash)]); }
  // Counts so many hits and returns the hits so far.
  std::uint32_t hit(std::uint64_t hash, std::uint32_t count) {
    std::atomic<std::uint64_t>* const places = &words_[first_of(hash)];
    std::size_t fewest = 0;
    std::uint64_t fewest_hits = kHits + 1;
    for (std::size_t i = 0; i < kShared; ++i) {
      const std::uint64_t word = places[i].load(std::memory_order_relaxed);
      const std::uint64_t hits = word & kHits;
      if (((word ^ hash) & ~kHits) == 0 && hits > 0) {
        const std::uint64_t more = std::min(hits + count, kHits);
        places[i].store((hash & ~kHits) | more, std::memory_order_relaxed);
        return static_cast<std::uint32_t>(more);
      }
      if (hits < fewest_hits) {
        fewest = i;
        fewest_hits = hits;
      }
    }
    // Subtracting a hit from a word does not change its hash bits.
    const std::uint64_t word = places[fewest].load(std::memory_order_relaxed);
    const bool stays = (word & kHits) > count;
    places[fewest].store(stays ? word - count : (hash & ~kHits) | count,
                         std::memory_order_relaxed);
    return count;
  }

 private:
  static constexpr std::uint64_t kHits = (1u << 24) - 1;
  static constexpr std::size_t kPlaces = 65536, kShared = 4;
  static std::size_t first_of(std::uint64_t hash) { return hash % kPlaces / kShared * kShared; }

  ReservedArray<std::atomic<std::uint64_t>> words_{kPlaces};
};

}  // namespace ddm
