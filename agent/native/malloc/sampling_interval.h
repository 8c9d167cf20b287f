// When to sample, and the weight of a sample.
//
// Every allocated byte is sampled with probability 1 / `mean`: the distances between sampled bytes
// are exponentially distributed, and a block of n bytes is sampled with probability
// 1 - exp(-n / mean). A sample's weight is the inverse of that. Pure.
#pragma once

#include <cstdint>

namespace ddm {

// Random generator splitmix64; `state`: any but 0.
inline std::uint64_t next_random(std::uint64_t* state) {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Bytes until the next sampled one, at least 1.
std::int64_t sampling_distance(std::uint64_t random, std::uint64_t mean);

// 1 - exp(-bytes / mean)
double sampling_probability(std::uint64_t bytes, std::uint64_t mean);

}  // namespace ddm
