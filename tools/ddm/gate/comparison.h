// What was measured now against what is known: what grew, what is new, what shrank, what is gone.
//
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/baseline.h"

namespace ddm {

// How much more there may be.
class Tolerance {
 public:
  // "0", "5%", "1k" (bytes). None: it is no such thing.
  static std::optional<Tolerance> parse(std::string_view text);

  bool more(const Amount& before, const Amount& now) const;

 private:
  std::int64_t bytes_ = 0;  // then objects do not matter
  double share_ = 0;
};

struct Changed {
  std::string name;
  Amount before, now;
};

struct Comparison {
  std::vector<Changed> grown, shrunk, fresh, gone;  // most bytes more, or less, first
  std::size_t same = 0;
};

Comparison compare(const Amounts& before, const Amounts& now, const Tolerance& tolerance);

// So much less than is known that the limit no longer guards anything.
bool much_too_high(const Changed& shrunk);

}  // namespace ddm
