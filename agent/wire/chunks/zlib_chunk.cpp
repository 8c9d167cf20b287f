#include "wire/chunks/zlib_chunk.h"

#include <zlib.h>

#include <algorithm>
#include <iterator>

namespace ddm {
namespace {

// Bytes of the inner type and length.
constexpr std::size_t kInnerHeader = 8;

// Compressing smaller chunks is not worth the CPU.
constexpr std::size_t kMinCompressed = 256;

// Android Studio matches the answers to these requests by their type.
constexpr ChunkType kNeverCompressed[] = {chunk_type("HELO"), chunk_type("FEAT"),
                                          chunk_type("REAQ"), chunk_type("MPRQ"),
                                          chunk_type("HPIF")};

}  // namespace

std::optional<Chunk> compress_chunk(const Chunk& chunk) {
  if (chunk.type == kZlibType || chunk.data.size() <= kInnerHeader) return {};
  ByteWriter out;
  out.u4(chunk.type);
  out.u4(static_cast<std::uint32_t>(chunk.data.size()));
  Bytes packed = out.take();
  uLongf size = compressBound(chunk.data.size());
  packed.resize(kInnerHeader + size);
  // Compression takes the program's CPU and the link is mostly loopback: speed over size.
  if (compress2(packed.data() + kInnerHeader, &size, chunk.data.data(), chunk.data.size(),
                Z_BEST_SPEED) != Z_OK) {
    return {};
  }
  packed.resize(kInnerHeader + size);
  if (packed.size() >= chunk.data.size()) return {};
  return Chunk{kZlibType, std::move(packed)};
}

Chunk smallest_chunk(Chunk chunk) {
  if (chunk.stored || chunk.data.size() < kMinCompressed) return chunk;
  if (std::ranges::find(kNeverCompressed, chunk.type) != std::end(kNeverCompressed)) return chunk;
  std::optional<Chunk> smaller = compress_chunk(chunk);
  return smaller ? std::move(*smaller) : std::move(chunk);
}

std::optional<InnerHeader> inner_header(ByteSpan data) {
  ByteReader in(data);
  const ChunkType type = in.u4();
  const std::uint32_t length = in.u4();
  if (!in.ok()) return {};
  return InnerHeader{type, length};
}

Result<Chunk> expand_chunk(ByteSpan data, std::size_t max_length) {
  const auto header = inner_header(data);
  if (!header) return Error{"a ZLIB chunk begins with an inner type and an inner length"};
  Chunk inner;
  inner.type = header->type;
  const std::uint32_t length = header->length;
  const ByteSpan packed = data.subspan(kInnerHeader);
  if (inner.type == kZlibType) return Error{"a ZLIB chunk inside a ZLIB chunk"};
  // Deflate's maximum is 1032 to 1: a larger declared length is invalid and allocates nothing.
  constexpr std::size_t kBestRatio = 1032;
  if (length > max_length || length > packed.size() * kBestRatio) {
    return Error{"inner length " + std::to_string(length) + " of a ZLIB chunk is too big"};
  }
  inner.data.resize(length);
  Bytef nothing = 0;  // zlib requires an output buffer even for an empty result
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
