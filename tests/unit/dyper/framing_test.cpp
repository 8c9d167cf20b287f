#include "adapters/dyper/documents/framing.h"

#include <catch2/catch.hpp>

namespace ddm {

TEST_CASE("documents end with a line, however the bytes come in") {
  const std::string all = "<a>\nENDDYPERMSGS\n ENDDYPERMSG\n</a>\nENDDYPERMSG\r\n\nENDDYPERMSG\n";
  for (std::size_t step = 1; step <= all.size(); ++step) {
    DocumentReader reader;
    std::vector<std::string> found;
    for (std::size_t at = 0; at < all.size(); at += step) {
      reader.append(std::string_view(all).substr(at, step));
      while (auto document = reader.next()) found.push_back(*document);
    }
    REQUIRE(found.size() == 2);
    CHECK(found[0] == "<a>\nENDDYPERMSGS\n ENDDYPERMSG\n</a>\n");
    CHECK(found[1] == "\n");
  }
}

TEST_CASE("of a document that is too long only as much is kept as it takes to refuse it") {
  for (const char* piece : {"x", "x\n"}) {
    DocumentReader reader;
    std::string block;
    while (block.size() < 60'000) block += piece;
    for (int i = 0; i < 100; ++i) {
      reader.append(block);
      CHECK_FALSE(reader.next());
      CHECK(reader.held() < kMaxDocument + 100'000);
    }
    reader.append("\nENDDYPERMSG\n<next/>\nENDDYPERMSG\n");
    const auto document = reader.next();
    REQUIRE(document);
    CHECK(document->size() > kMaxDocument);
    CHECK_FALSE(read_xml(*document));
    CHECK(reader.next() == "<next/>\n");
  }
}

TEST_CASE("a long line that ends like the last line of a document does not end it") {
  DocumentReader reader;
  reader.append(std::string(10'000, 'x'));
  CHECK_FALSE(reader.next());
  reader.append("ENDDYPERMSG\n");
  CHECK_FALSE(reader.next());
  reader.append("ENDDYPERMSG\n");
  CHECK(reader.next() == std::string(10'000, 'x') + "ENDDYPERMSG\n");
}

TEST_CASE("replies and messages have their own last lines") {
  CHECK(framed_reply("<a/>") == "<a/>\nENDDYPERREPLY\n");
  CHECK(framed_message("<a/>\n") == "<a/>\nENDDYPERMSG\n");
}

}  // namespace ddm
