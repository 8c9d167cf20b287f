// Stacks that have no number of their own: how often each has come up lately, and the number of the
// shortened one that stands for it meanwhile. Of those that share a place the latest is known.
//
// Any thread, no lock. A hit may be lost to another thread, or go to the stack that had the place
// before: numbers are right all the same.
#pragma once

#include <atomic>
#include <cstdint>

#include "records/reserved_array.h"
#include "records/trace_number.h"

namespace ddm {

class SeldomStacks {
 public:
  struct Known {
    std::uint32_t hits = 0;  // 0: not known
    TraceNumber shortened = kNoTrace;
  };

  bool good() const { return places_.good(); }

  Known find(std::uint64_t hash) const {
    const Place& place = places_[hash % kPlaces];
    const std::uint64_t word = place.word.load(std::memory_order_acquire);
    if (word == 0 || !TraceWord::is_of(word, hash)) return {};
    return {place.hits.load(std::memory_order_relaxed), TraceWord::number(word)};
  }
  // One more of it, if it is known.
  Known hit(std::uint64_t hash) {
    Known known = find(hash);
    if (known.hits != 0)
      places_[hash % kPlaces].hits.store(++known.hits, std::memory_order_relaxed);
    return known;
  }
  void put(std::uint64_t hash, const Known& known) {
    Place& place = places_[hash % kPlaces];
    place.hits.store(known.hits, std::memory_order_relaxed);
    place.word.store(TraceWord::of(hash, known.shortened), std::memory_order_release);
  }

 private:
  struct Place {
    std::atomic<std::uint64_t> word{0};
    std::atomic<std::uint32_t> hits{0};
  };
  static constexpr std::size_t kPlaces = 16384;

  ReservedArray<Place> places_{kPlaces};
};

}  // namespace ddm
