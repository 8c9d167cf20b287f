#include "wire/chunks/zlib_chunk.h"

#include <zlib.h>

#include <catch2/catch.hpp>
#include <random>

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr std::size_t kLimit = 1 << 20;

// An independent way to make the data of a ZLIB chunk.
Bytes zlib_data(ChunkType inner, std::uint32_t length, const Bytes& data) {
  uLongf size = compressBound(data.size());
  Bytes packed(size);
  REQUIRE(compress(packed.data(), &size, data.data(), data.size()) == Z_OK);
  ByteWriter out;
  out.u4(inner);
  out.u4(length);
  out.bytes(ByteSpan(packed).first(size));
  return out.take();
}

}  // namespace

TEST_CASE("A chunk that is compressed and expanded is the same again") {
  const Chunk chunk{chunk_type("REAL"), Bytes(5000, 42)};
  const auto packed = compress_chunk(chunk);
  REQUIRE(packed);
  CHECK(packed->type == chunk_type("ZLIB"));
  CHECK(packed->data.size() < 100);
  CHECK(Bytes(packed->data.begin(), packed->data.begin() + 8) ==
        Bytes{'R', 'E', 'A', 'L', 0, 0, 0x13, 0x88});
  const auto inner = expand_chunk(packed->data, kLimit);
  REQUIRE(inner);
  CHECK(*inner == chunk);
}

TEST_CASE("A chunk that would not become smaller stays as it is") {
  Bytes noise(1000);
  std::mt19937 random(1);
  for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
  CHECK_FALSE(compress_chunk({1, noise}));
  CHECK_FALSE(compress_chunk({1, {}}));
  CHECK_FALSE(compress_chunk({1, {1, 2, 3}}));
  CHECK_FALSE(compress_chunk({kZlibType, Bytes(5000, 1)}));
}

TEST_CASE("An answer that is known by its type is never compressed") {
  const Bytes data(10'000, 7);
  for (const ChunkType type : {chunk_type("HELO"), chunk_type("FEAT"), chunk_type("REAQ"),
                               chunk_type("MPRQ"), chunk_type("HPIF")}) {
    CHECK(smallest_chunk({type, data}).type == type);
  }
  CHECK(smallest_chunk({chunk_type("REAL"), data}).type == kZlibType);
}

TEST_CASE("Even an empty chunk may come compressed") {
  const auto inner = expand_chunk(zlib_data(chunk_type("REAQ"), 0, {}), kLimit);
  REQUIRE(inner);
  CHECK(*inner == Chunk{chunk_type("REAQ"), {}});
}

TEST_CASE("A ZLIB chunk cut off anywhere is refused") {
  const Bytes data = zlib_data(1, 300, Bytes(300, 5));
  for (std::size_t size = 0; size < data.size(); ++size) {
    CHECK_FALSE(expand_chunk(ByteSpan(data).first(size), kLimit).ok());
  }
}

TEST_CASE("A ZLIB chunk that lies about its length is refused") {
  const Bytes inner(300, 5);
  CHECK(expand_chunk(zlib_data(1, 300, inner), 300).ok());
  CHECK_FALSE(expand_chunk(zlib_data(1, 299, inner), kLimit).ok());
  CHECK_FALSE(expand_chunk(zlib_data(1, 301, inner), kLimit).ok());
  CHECK_FALSE(expand_chunk(zlib_data(1, 0, inner), kLimit).ok());
  CHECK_FALSE(expand_chunk(zlib_data(1, 300, inner), 299).ok());
  CHECK_FALSE(expand_chunk(zlib_data(1, 0xffffffff, inner), 0xffffffff).ok());
}

TEST_CASE("A ZLIB chunk with damaged data or with another one inside is refused") {
  Bytes data = zlib_data(1, 300, Bytes(300, 5));
  data.back() ^= 1;  // the checksum
  CHECK_FALSE(expand_chunk(data, kLimit).ok());
  CHECK_FALSE(expand_chunk(zlib_data(kZlibType, 300, Bytes(300, 5)), kLimit).ok());
}
