// ZLIB, the chunk that wraps another one to make it smaller.
//
//   u4 inner type, u4 inner length before compression, zlib stream (RFC 1950)
#pragma once

#include "core/result.h"
#include "wire/chunks/chunk.h"

namespace ddm {

inline constexpr ChunkType kZlibType = chunk_type("ZLIB");

// None when the chunk would not become smaller.
std::optional<Chunk> compress_chunk(const Chunk& chunk);

// For a peer that understands ZLIB: the chunk, or the ZLIB chunk if that saves anything worth it.
Chunk smallest_chunk(Chunk chunk);

// What the inner chunk of a ZLIB chunk says of itself, before it is expanded.
struct InnerHeader {
  ChunkType type = 0;
  std::uint32_t length = 0;
};
std::optional<InnerHeader> inner_header(ByteSpan data);

// The inner chunk out of a ZLIB chunk's data. Never more than `max_length` bytes of it, and never
// memory for more than the stream really holds. A ZLIB chunk inside is refused.
Result<Chunk> expand_chunk(ByteSpan data, std::size_t max_length);

}  // namespace ddm
