// Heap dumps: HPDU writes a file where the VM runs, HPDS sends the hprof bytes.
#pragma once

#include "ddm/chunk.h"

namespace ddm {

// The request has no data; the answer is the dump itself, as chunk data.
inline constexpr ChunkType kHeapDumpStream = chunk_type("HPDS");

// HPDU, request.   str path
struct HeapDumpRequest {
  static constexpr ChunkType kType = chunk_type("HPDU");
  std::string path;

  Bytes encode() const;
  static std::optional<HeapDumpRequest> decode(ByteSpan data);
  friend bool operator==(const HeapDumpRequest&, const HeapDumpRequest&) = default;
};

// HPDU and MPRE, replies.   u1 result: 0 done, else failed
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
