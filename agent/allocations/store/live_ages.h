// Age distribution of live objects: the number of GC pauses that each has survived, in classes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ddm {

// The number of pauses before an object's birth, modulo 2^16. A sweep after a pause raises the
// birth of objects older than kMostAge, so that no number wraps around as long as at most 2^15 -
// kMostAge pauses come between two sweeps.
struct BirthGc {
  using Number = std::uint16_t;
  static constexpr std::int16_t kMostAge = 4096;

  static Number of(std::uint64_t gc) { return static_cast<Number>(gc); }
  // Age as of pause `gc`; 0 for objects born after it.
  static std::uint64_t age(Number born, std::uint64_t gc) {
    const auto age = static_cast<std::int16_t>(static_cast<Number>(of(gc) - born));
    return static_cast<std::uint64_t>(std::clamp<std::int16_t>(age, 0, kMostAge));
  }
  static Number kept(Number born, std::uint64_t gc) {
    return age(born, gc) < kMostAge ? born : of(gc - kMostAge);
  }
};

// Classes 0, 1, 2-3, 4-7, ..., 1,024 and more.
struct AgeClass {
  static constexpr std::size_t kCount = 12;
  static constexpr std::size_t of(std::uint64_t age) {
    return std::min<std::size_t>(std::bit_width(age), kCount - 1);
  }
  static constexpr std::int64_t least(std::size_t age_class) {
    return age_class == 0 ? 0 : std::int64_t{1} << (age_class - 1);
  }
};

// Amounts by class.
template <typename Number>
struct ByAge {
  std::array<Number, AgeClass::kCount> count{}, bytes{};

  void operator+=(const ByAge& more) {
    for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
      count[i] += more.count[i];
      bytes[i] += more.bytes[i];
    }
  }
};

// Followed objects of one site that have survived a pause: [0] is unused.
struct AgeSum : ByAge<double> {
  bool any = false;

  void add(std::uint64_t age, double objects, double size) {
    any = true;
    count[AgeClass::of(age)] += objects;
    bytes[AgeClass::of(age)] += size;
  }
  void operator+=(const AgeSum& more) {
    any = any || more.any;
    ByAge::operator+=(more);
  }
};

// All live objects, for reports.
struct LiveAges : ByAge<std::int64_t> {
  // The class that the median object is in.
  std::size_t middle() const {
    std::int64_t all = 0, older = 0;
    for (const std::int64_t n : count) all += n;
    std::size_t age_class = AgeClass::kCount - 1;
    for (; age_class > 0; --age_class) {
      older += count[age_class];
      if (older > 0 && 2 * older >= all) break;
    }
    return age_class;
  }
};

}  // namespace ddm
