#include "adapters/test_kit/site_lines.h"

#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ddm {
namespace {

struct Program {
  NameTable names;
  std::shared_ptr<Sites> sites = Sites::create(1024, 64);
  NameId node = names.add_class("p.Node");

  Frame frame(const std::string& method) {
    MethodName name;
    name.class_name = "p.T";
    name.method = method;
    name.file = "T.java";
    name.lines = {{0, 7}};
    return {names.add_method(name), 3};
  }
  ScopeSite site(const std::vector<Frame>& stack, std::int64_t objects, bool first_use = false) {
    const TraceNumber trace = sites->traces().number_of(stack);
    const auto frames = static_cast<std::uint32_t>(stack.size());
    return {node, trace, objects, 16 * objects, frames, first_use, true};
  }
};

TEST_CASE("A file has each frame once, before the first stack with it") {
  Program p;
  SiteLines lines;
  const Frame inner = p.frame("in"), outer = p.frame("out\"er");
  std::string text;
  lines.append(text, "p.T.a", {p.sites, {p.site({inner, outer}, 5), p.site({outer}, 2)}, 0},
               p.names);
  lines.append(text, "p.T.b", {p.sites, {p.site({inner}, 1), p.site({outer}, 1, true)}, 0},
               p.names);
  CHECK(text ==
        R"({"frame":1,"class":"p.T","method":"in","file":"T.java","line":7}
{"frame":2,"class":"p.T","method":"out\"er","file":"T.java","line":7}
{"test":"p.T.a","class":"p.Node","count":5,"bytes":80,"stack":[1,2]}
{"test":"p.T.a","class":"p.Node","count":2,"bytes":32,"stack":[2]}
{"test":"p.T.b","class":"p.Node","count":1,"bytes":16,"stack":[1]}
)");
}

TEST_CASE("Of many sites of a test the largest are written, and less of the smaller ones' stacks") {
  Program p;
  SiteLines lines;
  const std::vector<Frame> deep(30, p.frame("deep"));
  ScopeFigures figures{p.sites, {}, 0};
  for (int i = 0; i < 300; ++i) figures.list.push_back(p.site(deep, 1000 - i));
  figures.list.push_back({p.node, kNoTrace, 1, 16, 0, false, true});
  std::string text;
  lines.append(text, "p.T.many", figures, p.names);
  std::istringstream all(text);
  std::vector<std::size_t> depths;
  for (std::string line; std::getline(all, line);) {
    const auto object = nlohmann::json::parse(line);
    if (object.contains("test")) depths.push_back(object["stack"].size());
  }
  REQUIRE(depths.size() == SiteLines::kMostSites);
  CHECK(depths[SiteLines::kLargestSites - 1] == SiteLines::kFramesOfLargest);
  CHECK(depths[SiteLines::kLargestSites] == SiteLines::kFramesOfOthers);
}

TEST_CASE("A site without a stack is written, too") {
  Program p;
  SiteLines lines;
  std::string text;
  lines.append(text, "p.T.a", {p.sites, {{p.node, kEmptyTrace, 1, 16, 0, false, true}}, 0},
               p.names);
  CHECK(text == R"({"test":"p.T.a","class":"p.Node","count":1,"bytes":16,"stack":[]}
)");
}

}  // namespace
}  // namespace ddm
