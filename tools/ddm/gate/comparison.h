// Compares measured allocations with a baseline: what grew, is new, shrank, or is gone.
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

// The growth that is tolerated.
class Tolerance {
 public:
  // "0", "0.5%", "1k" (bytes). None: not a tolerance.
  static std::optional<Tolerance> parse(std::string_view text);

  bool exceeded(const Amount& before, const Amount& now) const;

 private:
  std::int64_t bytes_ = 0;  // not 0: the number of objects is ignored
  double share_ = 0;
};

struct Changed {
  std::string name;
  Amount before, now;
};

struct Comparison {
  std::vector<Changed> grown, shrunk, added, removed;  // largest change in bytes first
  std::size_t same = 0;
};

Comparison compare(const Amounts& before, const Amounts& now, const Tolerance& tolerance);

// Whether the baseline is more than twice the measured figure, and so guards nothing any more.
bool is_far_too_high(const Changed& shrunk);

}  // namespace ddm
