#include "ddm/zlib_chunk.h"

#include <zlib.h>

#include <algorithm>

namespace ddm {
namespace {

// Inner type and length.
constexpr std::size_t kInnerHeader = 8;

}  // namespace

std::optional<Chunk> compress_chunk(const Chunk& chunk) {
  if (chunk.type == kZlibType || chunk.data.size() <= kInnerHeader) return {};
  ByteWriter out;
  out.u4(chunk.type);
  out.u4(static_cast<std::uint32_t>(chunk.data.size()));
  Bytes packed = out.take();
  uLongf size = compressBound(chunk.data.size());
  packed.resize(kInnerHeader + size);
  // The time is the program's, the link is mostly the loopback: speed before size.
  if (compress2(packed.data() + kInnerHeader, &size, chunk.data.data(), chunk.data.size(),
                Z_BEST_SPEED) != Z_OK) {
    return {};
  }
  packed.resize(kInnerHeader + size);
  if (packed.size() >= chunk.data.size()) return {};
  return Chunk{kZlibType, std::move(packed)};
}

Result<Chunk> expand_chunk(ByteSpan data, std::size_t max_length) {
  ByteReader in(data);
  Chunk inner;
  inner.type = in.u4();
  const std::uint32_t length = in.u4();
  const ByteSpan packed = in.rest();
  if (!in.ok()) return Error{"a ZLIB chunk begins with an inner type and an inner length"};
  if (inner.type == kZlibType) return Error{"a ZLIB chunk inside a ZLIB chunk"};
  // Deflate's best is 1032 to 1: a length beyond that is a lie, not worth its memory.
  constexpr std::size_t kBestRatio = 1032;
  if (length > max_length || length > packed.size() * kBestRatio) {
    return Error{"inner length " + std::to_string(length) + " of a ZLIB chunk is too big"};
  }
  inner.data.resize(length);
  Bytef nothing = 0;  // zlib wants a place to write to even for an empty result
  uLongf written = length;
  uLong read = packed.size();
  const int status =
      uncompress2(length == 0 ? &nothing : inner.data.data(), &written, packed.data(), &read);
  if (status != Z_OK || written != length) {
    return Error{"the data of a ZLIB chunk is damaged, or not of the length it says (" +
                 std::to_string(length) + ")"};
  }
  return inner;
}

}  // namespace ddm
