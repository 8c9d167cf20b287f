#include "native/malloc/sampling_interval.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace ddm;

TEST_CASE("the chance to be sampled is 1 - exp(-bytes / mean)") {
  for (const std::uint64_t mean : {1ul, 1000ul, 524'288ul}) {
    for (const std::uint64_t bytes : {1ul, 16ul, 999ul, 4096ul, 500'000ul, 10'000'000ul}) {
      const double x = static_cast<double>(bytes) / static_cast<double>(mean);
      CHECK(sampling_probability(bytes, mean) == Approx(-std::expm1(-x)).epsilon(1e-9));
    }
  }
  CHECK(sampling_probability(0, 1000) == 0);
}

TEST_CASE("distances between samples are those of -ln(u) * mean") {
  for (const std::uint64_t random :
       {std::uint64_t{1}, std::uint64_t{12345}, std::uint64_t{1} << 63, ~std::uint64_t{0},
        (std::uint64_t{1} << 63) - 1, std::uint64_t{0x123456789abcdef0}}) {
    const double expected = -std::log(static_cast<double>(random) / 0x1p64) * 1e9;
    CHECK(static_cast<double>(sampling_distance(random, 1'000'000'000)) ==
          Approx(1 + expected).epsilon(1e-6).margin(1.5));
  }
  CHECK(sampling_distance(0, 1000) > 0);
}

TEST_CASE("a sampled block stands for all of its size, without bias") {
  // What a thread does, block after block; the expected total is what was allocated.
  constexpr std::uint64_t kMean = 10'000;
  constexpr int kBlocks = 400'000;
  std::uint64_t random = 42;
  for (const std::uint64_t bytes : {24ul, 1000ul, 10'000ul, 50'000ul}) {
    std::int64_t left = sampling_distance(next_random(&random), kMean);
    double samples = 0;
    for (int i = 0; i < kBlocks; ++i) {
      left -= static_cast<std::int64_t>(bytes);
      if (left > 0) continue;
      ++samples;
      left = sampling_distance(next_random(&random), kMean);
    }
    const double p = sampling_probability(bytes, kMean);
    const double estimate = samples / p;
    const double sigma = std::sqrt(kBlocks * (1 - p) / p);
    CHECK(std::abs(estimate - kBlocks) < 5 * sigma);
  }
}
