#include "wire/chunks/packet.h"

#include <catch2/catch.hpp>

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr ChunkType kHelo = chunk_type("HELO");

// The worked example of the protocol: HELO with id 0x40000001.
const Bytes kHeloRequest{0x00, 0x00, 0x00, 0x17, 0x40, 0x00, 0x00, 0x01, 0x00, 0xc7, 0x01, 'H',
                         'E',  'L',  'O',  0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x01};

std::vector<Packet> read_all(PacketReader& reader) {
  std::vector<Packet> packets;
  while (auto packet = reader.next()) packets.push_back(std::move(*packet));
  return packets;
}

}  // namespace

TEST_CASE("A command packet has the bytes of the worked example") {
  CHECK(command_packet(0x40000001, {kHelo, {0, 0, 0, 1}}).flatten() == kHeloRequest);
}

TEST_CASE("An empty reply is eleven bytes and an error reply carries its number") {
  CHECK(reply_packet(0x40000001, {}).flatten() == Bytes{0, 0, 0, 11, 0x40, 0, 0, 1, 0x80, 0, 0});
  CHECK(error_packet(7, kErrorNotImplemented).flatten() ==
        Bytes{0, 0, 0, 11, 0, 0, 0, 7, 0x80, 0, 99});
}

TEST_CASE("A reply of several chunks has them in order, big ones too") {
  const Chunk small{kHelo, {1}};
  const Chunk big{chunk_type("HPDS"), Bytes(100'000, 7)};
  const std::vector<Chunk> chunks{small, big, small};
  const Bytes bytes = reply_packet(1, chunks).flatten();
  REQUIRE(bytes.size() == 11 + 3 * 8 + 100'002);
  PacketReader reader(1 << 20);
  reader.append(bytes);
  const auto packet = reader.next();
  REQUIRE(packet);
  CHECK(packet->header.is_reply());
  const auto views = split_chunks(packet->payload(), 10);
  REQUIRE(views);
  REQUIRE(views->size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK((*views)[i].type == chunks[i].type);
    CHECK(Bytes((*views)[i].data.begin(), (*views)[i].data.end()) == chunks[i].data);
  }
}

TEST_CASE("Packets come out the same wherever the stream is cut") {
  Bytes stream = kHeloRequest;
  const Bytes second = reply_packet(9, {}).flatten();
  stream.insert(stream.end(), second.begin(), second.end());
  stream.insert(stream.end(), kHeloRequest.begin(), kHeloRequest.end());
  for (std::size_t first = 0; first <= stream.size(); ++first) {
    for (std::size_t next = first; next <= stream.size(); ++next) {
      PacketReader reader(100);
      std::vector<Packet> packets;
      const ByteSpan all(stream);
      for (const ByteSpan part :
           {all.first(first), all.subspan(first, next - first), all.subspan(next)}) {
        reader.append(part);
        for (auto& packet : read_all(reader)) packets.push_back(std::move(packet));
      }
      REQUIRE_FALSE(reader.error());
      REQUIRE_FALSE(reader.in_packet());
      REQUIRE(packets.size() == 3);
      REQUIRE(packets[0].bytes == kHeloRequest);
      REQUIRE(packets[0].header.is_ddm_command());
      REQUIRE(packets[1].header.is_reply());
      REQUIRE(packets[1].header.id == 9);
      REQUIRE(packets[2].bytes == kHeloRequest);
    }
  }
}

TEST_CASE("A length below the header or above the bound ends the stream for good") {
  for (const std::uint32_t length : {0u, 10u, 101u, 0x80000000u, 0xffffffffu}) {
    ByteWriter out;
    out.u4(length);
    for (int i = 0; i < 7; ++i) out.u1(0);
    PacketReader reader(100);
    reader.append(out.take());
    CHECK_FALSE(reader.next());
    REQUIRE(reader.error());
    CHECK(reader.error()->message.find(std::to_string(length)) != std::string::npos);
    reader.append(kHeloRequest);
    CHECK_FALSE(reader.next());
  }
}

TEST_CASE("Flags that JDWP does not know end the stream") {
  for (int flags = 0; flags < 256; ++flags) {
    Bytes bytes = kHeloRequest;
    bytes[8] = static_cast<std::uint8_t>(flags);
    PacketReader reader(100);
    reader.append(bytes);
    CHECK(reader.next().has_value() == (flags == 0 || flags == 0x80));
    CHECK(reader.error().has_value() == (flags != 0 && flags != 0x80));
  }
}

TEST_CASE("Only command 1 of set 199 is DDM") {
  PacketHeader header{.command_set = 0xc7, .command = 1};
  CHECK(header.is_ddm_command());
  header.command = 2;
  CHECK_FALSE(header.is_ddm_command());
  header = {.command_set = 1, .command = 1};
  CHECK_FALSE(header.is_ddm_command());
  header = {.flags = 0x80, .command_set = 0xc7, .command = 1};
  CHECK_FALSE(header.is_ddm_command());
}

TEST_CASE("A payload is split into its chunks and what is left over is ignored") {
  const Bytes payload{'A', 'A', 'A', 'A', 0, 0, 0, 1, 9, 'B', 'B', 'B', 'B', 0, 0, 0, 0, 1, 2};
  const auto chunks = split_chunks(payload, 10);
  REQUIRE(chunks);
  REQUIRE(chunks->size() == 2);
  CHECK(chunk_name((*chunks)[0].type) == "AAAA");
  CHECK((*chunks)[0].data.size() == 1);
  CHECK(chunk_name((*chunks)[1].type) == "BBBB");
  CHECK((*chunks)[1].data.empty());
  CHECK(split_chunks(payload, 1)->size() == 1);
  CHECK(split_chunks({}, 10)->empty());
}

TEST_CASE("A payload whose first chunk does not fit is no chunk") {
  const Bytes payload{'A', 'A', 'A', 'A', 0, 0, 0, 2, 9};
  for (std::size_t size = 1; size <= payload.size(); ++size) {
    CHECK_FALSE(split_chunks(ByteSpan(payload).first(size), 10));
  }
}

TEST_CASE("A chunk's name is shown with a mark for what cannot be printed") {
  CHECK(chunk_name(chunk_type("THST")) == "THST");
  CHECK(chunk_name(0x00410a7f) == "?A??");
}
