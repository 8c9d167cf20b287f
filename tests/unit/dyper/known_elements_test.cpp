#include "adapters/dyper/documents/known_elements.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

struct Checked {
  bool wanted = false;
  std::vector<std::string> unknown;
};

Checked check(const std::string& text) {
  auto request = read_request(text, {4711, "box"});
  REQUIRE(std::holds_alternative<DyperRequest>(request));
  Checked checked;
  std::vector<DyperError> errors;
  checked.wanted = check_elements(std::get<DyperRequest>(request), errors);
  for (const DyperError& error : errors) {
    CHECK(error.code == DyperErrorCode::kBadValue);
    CHECK(error.attribute == "ELEMENT");
    checked.unknown.push_back(error.value);
  }
  return checked;
}

}  // namespace

TEST_CASE("elements that a command knows are no errors, wherever they may stand") {
  for (const char* text :
       {"<DYPER COMMAND='PING'/>", "<DYPER COMMAND='PING'>words</DYPER>",
        "<DYPER COMMAND='SET'><SETTINGS><VAR NAME='a' VALUE='1'/></SETTINGS></DYPER>",
        "<DYPER XCOMMAND='SET'><!-- one --><VAR NAME='a'>1</VAR></DYPER>",
        "<DYPER COMMAND='CLASSES'><CLASSES><PACKAGE NAME='a'/><CLASS "
        "NAME='a.B'/></CLASSES></DYPER>",
        "<DYPER COMMAND='INSTRUMENT'><PATCHMODEL NAME='M'><VAR NAME='a'/><DETAIL ITEM='b'/>"
        "<PATCH CLASS='c'/></PATCHMODEL></DYPER>",
        "<DYPATCH COMMAND='MODEL'><MODEL NAME='M'><MODE NAME='X'><CODE><ARG/></CODE>"
        "<INSTRUCTION/></MODE><FOR><PATCH><WHEN/><DYPATCH_MODE><CODE><CONDITION/><RETURN/>"
        "</CODE></DYPATCH_MODE></PATCH></FOR></MODEL></DYPATCH>",
        "<DYPATCH COMMAND='PATCHMODEL'><PATCHMODEL><FOR/></PATCHMODEL></DYPATCH>",
        "<DYPATCH COMMAND='PATCH'><PATCH><CLASS/></PATCH></DYPATCH>",
        "<DYPATCH COMMAND='ADDCLASS'><WHATEVER/></DYPATCH>"}) {
    CAPTURE(text);
    const Checked checked = check(text);
    CHECK(checked.wanted);
    CHECK(checked.unknown.empty());
  }
}

TEST_CASE("each element that a command does not know is an error") {
  const Checked checked = check(
      "<DYPER COMMAND='SET'><SETTINGS><VAR NAME='a' VALUE='1'><B/></VAR><VRA/></SETTINGS><ODD/>"
      "</DYPER>");
  CHECK(checked.wanted);  // the rest is done
  CHECK(checked.unknown == std::vector<std::string>{"B", "VRA", "ODD"});
  CHECK(check("<DYPATCH COMMAND='MODEL'><MODEL><FOR><PACTH/></FOR></MODEL></DYPATCH>").unknown ==
        std::vector<std::string>{"PACTH"});
  CHECK(check("<DYPATCH COMMAND='PATCH'><PATCH><WHEN/></PATCH></DYPATCH>").unknown.size() == 1);
}

TEST_CASE("a document without the element that its command is about is an error") {
  for (const auto& [text, element] :
       {std::pair{"<DYPER COMMAND='SET'/>", "VAR"},
        {"<DYPER COMMAND='SET'>MONITOR</DYPER>", "VAR"},
        {"<DYPER COMMAND='SET'><SETTINGS/></DYPER>", "VAR"},
        {"<DYPER COMMAND='SETDETAIL'/>", "DETAIL"},
        {"<DYPER COMMAND='CLASSES'/>", "CLASSES"},
        {"<DYPER COMMAND='USETHREAD'><THREADS/></DYPER>", "THREAD"}}) {
    CAPTURE(text);
    const Checked checked = check(text);
    CHECK_FALSE(checked.wanted);
    CHECK(checked.unknown == std::vector<std::string>{element});
  }
  CHECK(check("<DYPER COMMAND='CLASSES'><CLASSES CLEAR='true'/></DYPER>").unknown.empty());
  CHECK(check("<DYPER COMMAND='SET'><VRA/></DYPER>").unknown == std::vector<std::string>{"VRA"});
}

TEST_CASE("a document of nothing but unknown elements asks for nothing") {
  const Checked checked = check("<DYPER COMMAND='CLEAR'><CLAER AGENT='CPU'/></DYPER>");
  CHECK_FALSE(checked.wanted);
  CHECK(checked.unknown == std::vector<std::string>{"CLAER"});
  std::string many = "<DYPER COMMAND='PING'>";
  for (int i = 0; i < 1000; ++i) many += "<X/>";
  CHECK(check(many + "</DYPER>").unknown.size() == kMostErrors);
}

}  // namespace ddm
