#include "wire/chunks/stored_data.h"

#include <stdlib.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "fake_session.h"
#include "wire/chunks/event_bundle.h"
#include "wire/chunks/packet.h"

namespace ddm {
namespace {

Bytes content(const StoredData& data) {
  const auto bytes = data.read();
  REQUIRE(bytes);
  return *bytes;
}

std::vector<Bytes> packets_in(const Bytes& bytes) {
  std::vector<Bytes> packets;
  PacketReader reader(kMaxOutgoingPacket);
  reader.append(bytes);
  while (auto packet = reader.next()) packets.push_back(packet->bytes);
  CHECK_FALSE(reader.in_packet());
  return packets;
}

std::string place_of(const StoredData& data) {
  std::string place(256, '\0');
  const std::string link = "/proc/self/fd/" + std::to_string(data.fd());
  const ssize_t size = readlink(link.c_str(), place.data(), place.size());
  place.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return place;
}

}  // namespace

TEST_CASE("Stored data is what was stored, without a name, and where TMPDIR takes no file too") {
  for (const char* directory : {"", "/tmp", "/no/such/directory"}) {
    setenv("TMPDIR", directory, 1);
    auto created = StoredData::create();
    REQUIRE(created);
    StoredData& data = **created;
    CHECK_FALSE(data.append(Bytes(100'000, 1)));
    CHECK_FALSE(data.append(Bytes(5, 2)));
    CHECK(data.size() == 100'005);
    Bytes expected(100'000, 1);
    expected.insert(expected.end(), 5, 2);
    CHECK(content(data) == expected);
  }
  unsetenv("TMPDIR");
}

TEST_CASE("Where TMPDIR takes no file, data is stored in /tmp before it is kept in memory") {
  setenv("TMPDIR", "/no/such/directory", 1);
  const auto created = StoredData::create();
  unsetenv("TMPDIR");
  REQUIRE(created);
  CHECK(place_of(**created).starts_with("/tmp/"));
}

TEST_CASE("A bundle of events is stored when it is big and reaches sessions in order") {
  for (const int events : {3, 100}) {
    EventBundle bundle(/*zlib=*/false);
    for (int i = 0; i < events; ++i) {
      bundle.add({chunk_type("HPSG"), Bytes(10'000, static_cast<std::uint8_t>(i))});
    }
    REQUIRE(bundle.finish().empty());
    FakeSession one;
    FakeSession other;
    bundle.send_to(one);
    bundle.send_to(other);
    const bool small = events == 3;
    CHECK(one.sent.size() == (small ? 1 : 0));
    CHECK(other.stored == one.stored);  // made once
    const auto packets = packets_in(small ? one.sent[0] : content(*one.stored[0]));
    REQUIRE(packets.size() == static_cast<std::size_t>(events));
    for (int i = 0; i < events; ++i) {
      CHECK(packets[static_cast<std::size_t>(i)].back() == static_cast<std::uint8_t>(i));
    }
  }
}

}  // namespace ddm
