// Heap dumps: HPDU writes a file on the VM's side, HPDS sends the hprof data, and HPDP, a DDM
// extension, sends it in pieces of any total size.
#pragma once

#include "wire/chunks/special_fields.h"

namespace ddm {

// The request has no data; the reply's chunk data is the dump.
inline constexpr ChunkType kHeapDumpStream = chunk_type("HPDS");

// HPDU, request.   str path
struct HeapDumpRequest {
  static constexpr ChunkType kType = chunk_type("HPDU");
  std::string path;
  static constexpr auto kFields = std::tuple(&HeapDumpRequest::path);
};

inline constexpr std::string_view kHeapDumpPiecesFeature = "heap-dump-pieces";  // in FEAT

// HPDP, request.   u1 what
// Reply to the first two: HeapDumpMade. To the third: the next bytes, at most kPiece; the last
// piece includes the end of the dump.
struct HeapDumpPieceRequest {
  static constexpr ChunkType kType = chunk_type("HPDP");
  enum class What : std::uint8_t { kMake = 0, kMakeWithStacks = 1, kNextPiece = 2 };
  static constexpr std::size_t kPiece = std::size_t{4} << 20;
  What what = What::kMake;
  static constexpr auto kFields = std::tuple(UpTo{&HeapDumpPieceRequest::what, What::kNextPiece});
};

//   u8 bytes   u8 objects with an allocation stack   str why there are none, or ""
struct HeapDumpMade {
  static constexpr ChunkType kType = chunk_type("HPDP");
  std::uint64_t bytes = 0;
  std::uint64_t with_stack = 0;
  std::string no_stacks;
  static constexpr auto kFields =
      std::tuple(&HeapDumpMade::bytes, &HeapDumpMade::with_stack, &HeapDumpMade::no_stacks);
};

// HPDU and MPRE, replies.   u1 result: 0 done, otherwise failed
template <ChunkType Type, std::uint8_t Failure>
struct ResultReply {
  static constexpr ChunkType kType = Type;
  bool done = true;

  Bytes encode() const { return {done ? std::uint8_t{0} : Failure}; }
  static std::optional<ResultReply> decode(ByteSpan data) {
    if (data.empty()) return {};
    return ResultReply{data[0] == 0};
  }
  friend bool operator==(const ResultReply&, const ResultReply&) = default;
};
using HeapDumpReply = ResultReply<chunk_type("HPDU"), 0xff>;

}  // namespace ddm
