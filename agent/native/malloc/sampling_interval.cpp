#include "native/malloc/sampling_interval.h"

#include <algorithm>
#include <cmath>

namespace ddm {

std::int64_t sampling_distance(std::uint64_t random, std::uint64_t mean) {
  // Above 0, at most 1.
  const double uniform = static_cast<double>(std::max<std::uint64_t>(random, 1)) / 0x1p64;
  return 1 + static_cast<std::int64_t>(-std::log(uniform) * static_cast<double>(mean));
}

double sampling_probability(std::uint64_t bytes, std::uint64_t mean) {
  return -std::expm1(-static_cast<double>(bytes) / static_cast<double>(mean));
}

}  // namespace ddm
