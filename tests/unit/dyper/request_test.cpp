#include "adapters/dyper/documents/request.h"

#include <catch2/catch.hpp>

#include "adapters/dyper/documents/xml_reader.h"

namespace ddm {
namespace {

const DyperIdentity kSelf{4711, "box"};

std::string refused(std::string_view text) {
  const auto request = read_request(text, kSelf);
  const auto* error = std::get_if<RefusedRequest>(&request);
  return error != nullptr ? std::string(name_of(error->error.code)) : "";
}

}  // namespace

TEST_CASE("a request names its command, in either spelling, and its process or none") {
  for (const char* text : {"<DYPER COMMAND='PING'/>", "<DYPER XCOMMAND='PING' PID='4711'/>",
                           "<DYPER PID='4711@box' COMMAND='PING'></DYPER>"}) {
    auto request = read_request(text, kSelf);
    REQUIRE(std::holds_alternative<DyperRequest>(request));
    CHECK(std::get<DyperRequest>(request).command == "PING");
    CHECK(std::get<DyperRequest>(request).language == DyperLanguage::kDyper);
  }
  auto patch = read_request("<DYPATCH COMMAND='MODEL'><MODEL/></DYPATCH>", kSelf);
  REQUIRE(std::holds_alternative<DyperRequest>(patch));
  CHECK(std::get<DyperRequest>(patch).language == DyperLanguage::kDypatch);
  CHECK(child_of(std::get<DyperRequest>(patch).root, "PATCHMODEL", "MODEL"));
}

TEST_CASE("what is not meant for us, or is no request, is refused") {
  CHECK(refused("<DYPER COMMAND='PING' PID='4712@box'/>") == "BAD_PID");
  CHECK(refused("<DYPER COMMAND='PING' PID='4711@other'/>") == "BAD_PID");
  CHECK(refused("<OTHER COMMAND='PING'/>") == "BAD_XML");
  CHECK(refused("<DYPER") == "BAD_XML");
}

TEST_CASE("replies have the shape that clients know") {
  CHECK(reply_document(DyperLanguage::kDyper, kSelf, "PONG") ==
        "<DYPER_REPLY ID='4711@box'>PONG</DYPER_REPLY>\n");
  CHECK(reply_document(DyperLanguage::kDyper, kSelf, "", " ACTIVE='true'") ==
        "<DYPER_REPLY ID='4711@box' ACTIVE='true' />\n");
  CHECK(reply_document(DyperLanguage::kDypatch, kSelf, "") ==
        "<DYPATCH_REPLY ID='4711@box'></DYPATCH_REPLY>\n");
  const std::string error = refusal(
      {DyperLanguage::kDyper, {DyperErrorCode::kNoAgent, "AGENT", "a'b", "no < agent"}}, kSelf);
  CHECK(error ==
        "<DYPER_REPLY ID='4711@box'><ERROR CODE='NO_AGENT' AGENT='a&apos;b'>no &lt; agent</ERROR>\n"
        "</DYPER_REPLY>\n");
}

}  // namespace ddm
