// The unit of the protocol: a type of four ASCII letters and data.
//
//   u4 type     the letters in reading order: "HELO" = 48 45 4c 4f
//   u4 length   of the data alone
//   ...data
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "wire/chunks/stored_data.h"

namespace ddm {

using ChunkType = std::uint32_t;

constexpr ChunkType chunk_type(const char (&name)[5]) {
  ChunkType type = 0;
  for (int i = 0; i < 4; ++i) type = type << 8 | static_cast<std::uint8_t>(name[i]);
  return type;
}

inline constexpr std::size_t kChunkHeaderSize = 8;

struct Chunk {
  ChunkType type = 0;
  Bytes data;
  std::shared_ptr<const StoredData> stored = nullptr;  // follows `data`
  std::size_t size() const { return data.size() + (stored ? stored->size() : 0); }
  friend bool operator==(const Chunk&, const Chunk&) = default;
};

struct ChunkView {
  ChunkType type = 0;
  ByteSpan data;
};

// "HELO"; a byte that is not printable ASCII becomes '?'.
std::string chunk_name(ChunkType type);

// Splits a packet's payload into at most `max_chunks` chunks. nullopt: the first chunk does not
// fit, so the payload is not DDM. Trailing bytes that form no chunk are ignored, as by every real
// VM. An empty payload gives an empty list.
std::optional<std::vector<ChunkView>> split_chunks(ByteSpan payload, std::size_t max_chunks);

}  // namespace ddm
