// How many of the collector's pauses objects have outlived: to the last one for each object, in
// classes of figures.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace ddm {

// How many pauses there had been when an object was born, modulo 2^16. Whoever looks through the
// objects after a pause moves up those that are older than kMostAge, so that no number comes round
// as long as no more than 2^15 - kMostAge pauses lie between two looks.
struct BirthGc {
  using Number = std::uint16_t;
  static constexpr std::int16_t kMostAge = 4096;

  static Number of(std::uint64_t gc) { return static_cast<Number>(gc); }
  // At pause `gc`; 0 for what is born after it.
  static std::uint64_t age(Number born, std::uint64_t gc) {
    const auto age = static_cast<std::int16_t>(static_cast<Number>(of(gc) - born));
    return static_cast<std::uint64_t>(std::clamp<std::int16_t>(age, 0, kMostAge));
  }
  static Number kept(Number born, std::uint64_t gc) {
    return age(born, gc) < kMostAge ? born : of(gc - kMostAge);
  }
};

// 0, 1, 2 and 3, 4 to 7, ..., 1,024 and more.
struct AgeClass {
  static constexpr std::size_t kCount = 12;
  static constexpr std::size_t of(std::uint64_t age) {
    return std::min<std::size_t>(std::bit_width(age), kCount - 1);
  }
  static constexpr std::int64_t least(std::size_t age_class) {
    return age_class == 0 ? 0 : std::int64_t{1} << (age_class - 1);
  }
};

// The objects of one site that are followed and have outlived a pause, by class: [0] is not used.
struct AgeSum {
  bool any = false;
  std::array<double, AgeClass::kCount> count{}, bytes{};

  void add(std::uint64_t age, double objects, double size) {
    any = true;
    count[AgeClass::of(age)] += objects;
    bytes[AgeClass::of(age)] += size;
  }
};

// As reports have them: all that is alive, by class.
struct LiveAges {
  std::array<std::int64_t, AgeClass::kCount> count{}, bytes{};

  LiveAges& operator+=(const LiveAges& more) {
    for (std::size_t i = 0; i < AgeClass::kCount; ++i) {
      count[i] += more.count[i];
      bytes[i] += more.bytes[i];
    }
    return *this;
  }
  // Half of the objects are in this class or in older ones.
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
