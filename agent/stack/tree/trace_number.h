// The number of a stack, which is its innermost frame's node in a CallTree, and the word that finds
// it by the stack's hash:
// | 42 bits of the hash | 22 bits of number |. The rest of the hash says where the word stands.
#pragma once

#include <cstdint>

namespace ddm {

using TraceNumber = std::uint32_t;
inline constexpr TraceNumber kNoTrace = 0;     // nothing is known of the stack
inline constexpr TraceNumber kEmptyTrace = 1;  // no Java frame: where threads begin
inline constexpr TraceNumber kCutTrace = 2;    // in place of the frames beyond the depth

struct TraceWord {
  static constexpr std::uint64_t kNumberBits = (1u << 22) - 1;
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
