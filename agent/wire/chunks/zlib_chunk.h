// ZLIB, the chunk that wraps a compressed one.
//
//   u4 inner type, u4 inner length before compression, zlib stream (RFC 1950)
#pragma once

#include "core/result.h"
#include "wire/chunks/chunk.h"

namespace ddm {

inline constexpr ChunkType kZlibType = chunk_type("ZLIB");

// nullopt: compression would not make the chunk smaller.
std::optional<Chunk> compress_chunk(const Chunk& chunk);

// For a peer that understands ZLIB: the chunk, or a ZLIB chunk if that is worthwhile.
Chunk smallest_chunk(Chunk chunk);

// The declared type and length of the inner chunk, before expansion.
struct InnerHeader {
  ChunkType type = 0;
  std::uint32_t length = 0;
};
std::optional<InnerHeader> inner_header(ByteSpan data);

// Expands the data of a ZLIB chunk, to at most `max_length` bytes; allocates no more than the
// stream yields. A nested ZLIB chunk is an error.
Result<Chunk> expand_chunk(ByteSpan data, std::size_t max_length);

}  // namespace ddm
