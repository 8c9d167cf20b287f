// HPSG's states of what the tests lay out in memory.
#pragma once

#include <cstdint>

#include "wire/chunks/heap_segments.h"

namespace ddm {

inline constexpr std::uint8_t kObjectState = heap_state(Solidity::kHard, HeapKind::kObject);
inline constexpr std::uint8_t kClassState = heap_state(Solidity::kHard, HeapKind::kClass);
inline constexpr std::uint8_t kBytesState = heap_state(Solidity::kHard, HeapKind::kArray1);
inline constexpr std::uint8_t kIntsState = heap_state(Solidity::kHard, HeapKind::kArray4);
inline constexpr std::uint8_t kLongsState = heap_state(Solidity::kHard, HeapKind::kArray8);

}  // namespace ddm
