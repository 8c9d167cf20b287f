// Pseudo-random numbers: Marsaglia's xorshift, 64 bits. One of each thread's own.
#pragma once

#include <cstdint>

namespace ddm {

class Random {
 public:
  // `seed`: an address of the thread's own.
  explicit Random(const void* seed)
      : state_(reinterpret_cast<std::uintptr_t>(seed) * 0x9e3779b97f4a7c15u) {}
  std::uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace ddm
