// ZLIB, the chunk that wraps another one to make it smaller.
//
//   u4 inner type, u4 inner length before compression, zlib stream (RFC 1950)
#pragma once

#include "ddm/chunk.h"
#include "ddm/result.h"

namespace ddm {

inline constexpr ChunkType kZlibType = chunk_type("ZLIB");

// None when the chunk would not become smaller.
std::optional<Chunk> compress_chunk(const Chunk& chunk);

// The inner chunk out of a ZLIB chunk's data. Never more than `max_length` bytes of it, and never
// memory for more than the stream really holds. A ZLIB chunk inside is refused.
Result<Chunk> expand_chunk(ByteSpan data, std::size_t max_length);

}  // namespace ddm
