// When to sample, and what a sample stands for.
//
// Every allocated byte has the same chance, one in `mean`: so the distances between sampled bytes
// are exponentially distributed, and a block of n bytes is sampled with the probability
// 1 - exp(-n / mean). A sample stands for the inverse of that. Pure; without libm, which would be
// one more library to load.
#pragma once

#include <cstdint>

namespace ddm {

// A random generator (splitmix64); any state but 0 will do.
inline std::uint64_t next_random(std::uint64_t* state) {
  std::uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Bytes up to the next sampled one: 1 or more.
std::int64_t sampling_distance(std::uint64_t random, std::uint64_t mean);

// 1 - exp(-bytes / mean)
double sampling_probability(std::uint64_t bytes, std::uint64_t mean);

}  // namespace ddm
