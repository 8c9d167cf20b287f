#include "wire/chunks/report_chunk.h"

#include <catch2/catch.hpp>
#include <random>

#include "chunk_checks.h"

namespace ddm {
namespace {

std::string unpacked(ByteSpan data, std::uint64_t most = std::uint64_t{1} << 30) {
  std::string whole;
  const auto error = unpack_report(data, most, [&](std::string_view piece) {
    whole += piece;
    return true;
  });
  return error ? whole + "error: " + error->message : whole;
}

// The reply's data, wherever it lies.
Bytes whole(ReportPacker& packer) {
  auto reply = packer.finish();
  REQUIRE(reply);
  Bytes data = std::move(reply->data);
  if (reply->stored) {
    const auto rest = reply->stored->read();
    REQUIRE(rest);
    data.insert(data.end(), rest->begin(), rest->end());
  }
  return data;
}

Bytes packed(std::string_view text) {
  ReportPacker packer(1 << 20);
  packer.add(text);
  return whole(packer);
}

}  // namespace

TEST_CASE("REPT asks for a format") {
  check_chunk(ReportRequest{"html"}, "00000004 \"html");
  CHECK_FALSE(decode<ReportRequest>(bytes_of("00000004 \"ht")));
}

TEST_CASE("REPE names the file for a report at the end") {
  check_chunk(ReportAtEndRequest{"/r.txt"}, "00000006 \"/r.txt");
  CHECK_FALSE(decode<ReportAtEndRequest>(bytes_of("00000006 \"/r")));
}

TEST_CASE("a report that is packed in pieces comes back whole") {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "line " + std::to_string(i) + " of a report\n";
  ReportPacker packer(1 << 20);
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    REQUIRE(packer.add(std::string_view(text).substr(at, 1000)));
  }
  const Bytes bytes = whole(packer);
  CHECK(bytes.size() < text.size() / 4);
  CHECK(unpacked(bytes) == text);
  CHECK(unpacked(packed("")).empty());
}

TEST_CASE("a report that is big even when packed does not wait in memory, and comes back whole") {
  std::mt19937_64 random(1);
  std::string noise;
  while (noise.size() < 3 * ReportPacker::kInMemory) {
    noise.append(std::to_string(random()), 0, 16);
  }
  for (std::size_t size : {noise.size(), noise.size() + 1}) {
    ReportPacker packer(std::size_t{64} << 20);
    noise.resize(size, 'x');
    REQUIRE(packer.add(noise));
    CHECK(unpacked(whole(packer)) == noise);
  }
  ReportPacker packer(std::size_t{64} << 20);
  packer.add(noise);
  const auto reply = packer.finish();
  REQUIRE(reply);
  REQUIRE(reply->stored);
  CHECK(reply->stored->size() > ReportPacker::kInMemory);
  CHECK(reply->data.size() == 8);
}

TEST_CASE("packing stops at its limit and says so") {
  std::mt19937_64 random(1);
  std::string noise;
  while (noise.size() < (3u << 20)) noise += std::to_string(random());
  ReportPacker packer(1 << 20);
  bool wanted = true;
  std::size_t at = 0;
  for (; wanted && at < noise.size(); at += 4096) {
    wanted = packer.add(std::string_view(noise).substr(at, 4096));
  }
  CHECK_FALSE(wanted);
  CHECK(at < noise.size());
  const auto bytes = packer.finish();
  REQUIRE_FALSE(bytes);
  CHECK(bytes.message().find("bigger than 1 MiB") != std::string::npos);
}

TEST_CASE("a damaged report is an error, never more than its length says") {
  const Bytes whole = packed(std::string(300000, 'x'));
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    CHECK(unpacked(ByteSpan(whole).first(cut)).ends_with("error: the report is damaged"));
  }
  Bytes lies = whole;
  lies[7] -= 1;
  CHECK(unpacked(lies).size() < 300100);
  CHECK(unpacked(lies).ends_with("error: the report is damaged"));
  lies[7] += 2;
  CHECK(unpacked(lies).ends_with("error: the report is damaged"));
}

TEST_CASE("a report that unpacks to more than is accepted is an error, before any of it comes") {
  const std::string text((std::size_t{2} << 20) + 1, 'x');
  const Bytes whole = packed(text);
  CHECK(whole.size() < 20'000);
  CHECK(unpacked(whole, text.size()) == text);
  CHECK(unpacked(whole, text.size() - 1) == "error: the report unpacks to more than 2 MiB");
  Bytes lies = whole;
  lies[0] = 0xFF;
  CHECK(unpacked(lies) == "error: the report unpacks to more than 1024 MiB");
}

TEST_CASE("who wants no more of a report is not told of an error") {
  const Bytes whole = packed(std::string(300000, 'x'));
  int pieces = 0;
  CHECK_FALSE(unpack_report(whole, 300000, [&](std::string_view) { return ++pieces < 2; }));
  CHECK(pieces == 2);
}

}  // namespace ddm
