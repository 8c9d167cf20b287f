// Finds numbered items by their hash: an open table of numbers, which grows with them. The items
// are stored by the client, numbered from 1 in order of appearance. One thread at a time.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/reserved_array.h"

namespace ddm {

class NumberIndex {
 public:
  static constexpr unsigned kBits = 20;
  static constexpr std::uint32_t kNumber = (1u << kBits) - 1;  // the largest one

  // Where an item's search begins, and bits of its hash, of which the upper 12 are stored beside
  // the number: items with others need not be compared.
  struct Place {
    std::size_t first;
    std::uint32_t filter;
  };

  // `most`: the largest number there will be.
  explicit NumberIndex(std::size_t most) : slots_(std::bit_ceil(std::max(2 * most, kFirst))) {}
  bool good() const { return slots_.good(); }

  // 0: there is none. is(number): whether it is the wanted item.
  template <typename Is>
  std::uint32_t find(Place place, Is is) const {
    for (std::size_t i = place.first;; ++i) {
      const std::uint32_t there = slots_[i & mask_], number = there & kNumber;
      if (there == 0) return 0;
      if ((there ^ place.filter) >> kBits == 0 && is(number)) return number;
    }
  }
  // Adds the item after the last one. place_of(number): of this one, and of all when it grows.
  template <typename PlaceOf>
  void add(std::uint32_t number, PlaceOf place_of) {
    const bool grows = 2 * std::size_t{number} > mask_ && mask_ + 1 < slots_.size();
    if (grows) {
      std::fill_n(&slots_[0], mask_ + 1, 0u);
      mask_ = std::min(4 * (mask_ + 1), slots_.size()) - 1;
    }
    for (std::uint32_t each = grows ? 1 : number; each <= number; ++each) {
      const Place place = place_of(each);
      std::size_t i = place.first;
      while (slots_[i & mask_] != 0) ++i;
      slots_[i & mask_] = each | (place.filter & ~kNumber);
    }
  }

  void prefetch(Place place) const { __builtin_prefetch(&slots_[place.first & mask_]); }
  // The item that a search begins with.
  std::uint32_t likely(Place place) const { return slots_[place.first & mask_] & kNumber; }

 private:
  static constexpr std::size_t kFirst = 4096;

  // Only the first mask_ + 1 are in use, and half of these stay empty.
  ReservedArray<std::uint32_t> slots_;
  std::size_t mask_ = kFirst - 1;
};

}  // namespace ddm
