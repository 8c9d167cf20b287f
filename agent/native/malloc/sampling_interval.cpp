#include "native/malloc/sampling_interval.h"

#include <bit>

namespace ddm {
namespace {

constexpr double kLn2 = 0.69314718055994530942;

// ln(m) for m in [1, 2): 2 artanh((m - 1) / (m + 1))
double ln_of_mantissa(double m) {
  const double t = (m - 1) / (m + 1);
  const double square = t * t;
  double term = t;
  double sum = 0;
  for (int k = 1; k < 26; k += 2) {
    sum += term / k;
    term *= square;
  }
  return 2 * sum;
}

// -ln((random + 0.5) / 2^64)
double minus_ln(std::uint64_t random) {
  if (random == 0) random = 1;
  const int zeros = std::countl_zero(random);
  const double mantissa = static_cast<double>(random << zeros) / 0x1p63;
  if (mantissa >= 2) return zeros * kLn2;  // rounded up
  return (zeros + 1) * kLn2 - ln_of_mantissa(mantissa);
}

}  // namespace

std::int64_t sampling_distance(std::uint64_t random, std::uint64_t mean) {
  return 1 + static_cast<std::int64_t>(minus_ln(random) * static_cast<double>(mean));
}

double sampling_probability(std::uint64_t bytes, std::uint64_t mean) {
  const double x = static_cast<double>(bytes) / static_cast<double>(mean);
  if (x > 40) return 1;
  // 1 - exp(-x) by its series for small x, then (1 - p) squared repeatedly.
  double small = x;
  int doublings = 0;
  for (; small > 0.25; small /= 2) ++doublings;
  double term = small;
  double sum = 0;
  for (int k = 2; k < 14; ++k) {
    sum += term;
    term *= -small / k;
  }
  for (; doublings > 0; --doublings) sum = sum * (2 - sum);
  return sum;
}

}  // namespace ddm
