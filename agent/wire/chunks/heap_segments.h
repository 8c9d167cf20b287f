// Maps of a heap: HPSG and HPSO of the Java heap, NHSG of the native one, with the brackets
// HPST/HPEN and NHST/NHEN.
//
// A segment is a range of allocation units, each with a state:
//
//     7   6   5  4  3   2  1  0
//     P   0     kind    solidity        P: the object continues in the next pair (HPSO)
//
// run-length encoded in pairs { u1 state, u1 units - 1 }.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

enum class Solidity : std::uint8_t {
  kFree = 0,
  kHard = 1,
  kSoft = 2,
  kWeak = 3,
  kPhantom = 4,
  kFinalizable = 5,
  kSweep = 6,
};

enum class HeapKind : std::uint8_t {
  kObject = 0,
  kClass = 1,
  kArray1 = 2,  // elements of 1, 2, 4, 8 bytes
  kArray2 = 3,
  kArray4 = 4,
  kArray8 = 5,
  kUnknown = 6,
  kNative = 7,
};

inline constexpr std::uint8_t kPartialBit = 0x80;

constexpr std::uint8_t heap_state(Solidity solidity, HeapKind kind) {
  return static_cast<std::uint8_t>(static_cast<int>(solidity) | static_cast<int>(kind) << 3);
}
inline constexpr std::uint8_t kFreeState = 0;
constexpr Solidity solidity_of(std::uint8_t state) { return static_cast<Solidity>(state & 7); }
constexpr HeapKind kind_of(std::uint8_t state) { return static_cast<HeapKind>(state >> 3 & 7); }

inline constexpr ChunkType kMergedSegment = chunk_type("HPSG");
inline constexpr ChunkType kObjectSegment = chunk_type("HPSO");
inline constexpr ChunkType kNativeSegment = chunk_type("NHSG");

// kNow is a DDM extension: one map at once, without a collection.
enum class SegmentsWhen : std::uint8_t { kNever = 0, kEveryGc = 1, kNow = 2 };

// Aligned as a whole: clang calls a library for an atomic one otherwise.
struct alignas(2) MapSettings {
  SegmentsWhen when = SegmentsWhen::kNever;
  std::uint8_t what = 0;  // 0 HPSG, 1 HPSO
};

// HPSG and NHSG, requests.   u1 when, u1 what, which native maps ignore
template <ChunkType Type>
struct SegmentsRequest : MapSettings {
  static constexpr ChunkType kType = Type;
  static constexpr std::uint8_t kMostWhat = Type == kMergedSegment ? 1 : 255;
  static constexpr auto kFields =
      std::tuple(UpTo{&MapSettings::when, SegmentsWhen::kNow}, UpTo{&MapSettings::what, kMostWhat});
};
using HeapSegmentsRequest = SegmentsRequest<kMergedSegment>;
using NativeSegmentsRequest = SegmentsRequest<kNativeSegment>;

// HPST, HPEN, NHST, NHEN, events.   u4 heap id
template <ChunkType Type>
struct HeapBracket {
  static constexpr ChunkType kType = Type;
  std::uint32_t heap_id = 0;
  static constexpr auto kFields = std::tuple(&HeapBracket::heap_id);
};
using HeapStart = HeapBracket<chunk_type("HPST")>;
using HeapEnd = HeapBracket<chunk_type("HPEN")>;
using NativeHeapStart = HeapBracket<chunk_type("NHST")>;
using NativeHeapEnd = HeapBracket<chunk_type("NHEN")>;

// One run of units, decoded: in HPSO an object, in the others units of equal state.
struct HeapRun {
  std::uint8_t state = kFreeState;  // without kPartialBit
  std::uint64_t units = 0;
  friend bool operator==(const HeapRun&, const HeapRun&) = default;
};

struct HeapSegment;

// The pairs of a segment, which end the chunk. Wrong: they do not add up to its units, or an object
// does not end.
struct SegmentPairs {
  void write(ByteWriter& out, const HeapSegment& segment) const;
  void read(ByteReader& in, HeapSegment& segment) const;
};

// HPSG, HPSO, NHSG, events.
//
//   u4 heap id, u1 bytes of a unit, u4 start, u4 offset, u4 units, pairs
struct HeapSegment {
  std::uint32_t heap_id = 1;
  std::uint8_t unit = 8;     // bytes per unit; real servers read it as signed: at most 127
  std::uint32_t start = 0;   // address, in bytes
  std::uint32_t offset = 0;  // from start; always sent as 0, with a start per segment
  std::uint32_t units = 0;
  Bytes pairs;
  static constexpr auto kFields =
      std::tuple(&HeapSegment::heap_id, &HeapSegment::unit, &HeapSegment::start,
                 &HeapSegment::offset, &HeapSegment::units, SegmentPairs{});

  std::vector<HeapRun> runs() const;
};

}  // namespace ddm
