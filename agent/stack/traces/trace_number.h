// A stack's number, and the word that finds it by the stack's hash:
// | 44 bits of the hash | 20 bits of number |. The rest of the hash says where the word stands.
#pragma once

#include <cstdint>

namespace ddm {

using TraceNumber = std::uint32_t;
inline constexpr TraceNumber kNoTrace = 0;     // more different stacks than there is room for
inline constexpr TraceNumber kEmptyTrace = 1;  // no Java frame; needs no room

struct TraceWord {
  static constexpr std::uint64_t kNumberBits = (1u << 20) - 1;
  static constexpr std::uint64_t of(std::uint64_t hash, TraceNumber number) {
    return (hash & ~kNumberBits) | number;
  }
  static constexpr bool is_of(std::uint64_t word, std::uint64_t hash) {
    return ((word ^ hash) & ~kNumberBits) == 0;
  }
  static constexpr TraceNumber number(std::uint64_t word) {
    return static_cast<TraceNumber>(word & kNumberBits);
  }
};

}  // namespace ddm
