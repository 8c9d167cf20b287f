// What a stack's frames come to, frame by frame or run by run: the sum of term(frame i) * kBase^i,
// i counted from the innermost frame, modulo 2^64. A run of frames that is known as a sum goes
// anywhere by one multiplication.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "stack/frame.h"

namespace ddm::stack_hash {

inline constexpr std::uint64_t kBase = 0x9E3779B97F4A7C15ull;  // odd, so that it can be divided by

constexpr std::uint64_t term(std::uint64_t frame) {
  frame *= 0xC2B2AE3D27D4EB4Full;
  frame ^= frame >> 32;
  frame *= 0xD6E8FEB86659FD93ull;
  return frame ^ frame >> 29;
}
constexpr std::uint64_t term(const Frame& frame) {
  return term(std::bit_cast<std::uint64_t>(frame));
}

// Beyond the frames that are hashed there are more.
inline constexpr std::uint64_t kCut = term(~std::uint64_t{0});  // of no frame

// The sum's upper bits are better than its lower ones; and back.
constexpr std::uint64_t finished(std::uint64_t sum) { return sum ^ sum >> 29; }
constexpr std::uint64_t unfinished(std::uint64_t hash) { return hash ^ hash >> 29 ^ hash >> 58; }

// 1, base, base^2, ...
template <std::size_t kCount>
constexpr std::array<std::uint64_t, kCount> powers_of(std::uint64_t base) {
  std::array<std::uint64_t, kCount> result{};
  std::uint64_t power = 1;
  for (std::uint64_t& each : result) {
    each = power;
    power *= base;
  }
  return result;
}

// Each step doubles the bits that are right; the first has three.
constexpr std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t result = odd;
  for (int i = 0; i < 5; ++i) result *= 2 - odd * result;
  return result;
}

}  // namespace ddm::stack_hash
