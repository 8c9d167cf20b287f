#include "adapters/hprof/hprof_commands.h"

#include <catch2/catch.hpp>
#include <vector>

namespace ddm {
namespace {

Bytes command(std::uint8_t tag, std::uint32_t serial, const std::vector<std::uint8_t>& body) {
  ByteWriter out;
  out.u1(tag);
  out.u4(serial);
  out.u4(static_cast<std::uint32_t>(body.size()));
  out.bytes(body);
  return out.take();
}

}  // namespace

TEST_CASE("commands are read however they are cut into pieces") {
  Bytes all = command(1, 7, {});
  for (const auto& more : {command(3, 8, {0, 2, 1, 2, 3, 4}), command(8, 9, {0, 7, 0, 5})}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  for (std::size_t piece : {1, 2, 5, 9, 10, 100}) {
    HprofCommandReader reader;
    std::vector<HprofCommand> commands;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      ByteSpan data = ByteSpan(all).subspan(at, std::min(piece, all.size() - at));
      while (auto one = reader.read(data)) commands.push_back(*one);
    }
    REQUIRE(commands.size() == 3);
    CHECK(commands[0].known_tag() == HprofTag::kGc);
    CHECK(commands[0].serial == 7);
    CHECK(commands[1].known_tag() == HprofTag::kAllocSites);
    CHECK(commands[1].body == Bytes{0, 2, 1, 2, 3, 4});
    CHECK(commands[2].body == Bytes{0, 7, 0, 5});
  }
}

TEST_CASE("an unknown command is skipped by its length, of which little is kept") {
  HprofCommandReader reader;
  const Bytes big = command(99, 1, std::vector<std::uint8_t>(100'000, 0xEE));
  const Bytes next = command(4, 2, {});
  std::optional<HprofCommand> unknown;
  for (std::size_t at = 0; at < big.size(); at += 4096) {
    ByteSpan data = ByteSpan(big).subspan(at, std::min<std::size_t>(4096, big.size() - at));
    if (auto one = reader.read(data)) unknown = one;
    CHECK(data.empty());
  }
  REQUIRE(unknown);
  CHECK_FALSE(unknown->known());
  CHECK(unknown->length == 100'000);
  CHECK(unknown->body.size() <= 16);
  ByteSpan data(next);
  const auto after = reader.read(data);
  REQUIRE(after);
  CHECK(after->known_tag() == HprofTag::kHeapSummary);
}

}  // namespace ddm
