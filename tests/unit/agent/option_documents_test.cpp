// README's table of options and docs/options.md against what `help` prints.
#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "options/options.h"

namespace ddm {
namespace {

using Names = std::set<std::string>;

std::string document(const std::string& path) {
  std::ifstream file(DDM_SOURCE_DIR "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The first group of each match in the lines of `text`; a line may match several times.
Names matches(const std::string& text, const std::string& pattern) {
  Names names;
  const std::regex regex(pattern, std::regex::ECMAScript | std::regex::multiline);
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    names.insert((*match)[1].str());
  }
  return names;
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin);
  REQUIRE(from != std::string::npos);
  const auto to = text.find(end, from + begin.size());
  return text.substr(from, to - from);
}

// "| `records=` `depth=` | ...": the names in the first cell of each row.
Names of_first_cells(const std::string& table, const std::string& name_pattern) {
  Names names;
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `") && !line.starts_with("| [`")) continue;
    names.merge(matches(line.substr(0, line.find(" | ", 2)), name_pattern));
  }
  return names;
}

Names of_help() { return matches(help_text(), "^  ([a-z_]+)(?:=| )"); }

}  // namespace

TEST_CASE("README and docs/options.md have a row for each option of help, and no other") {
  const Names help = of_help();
  REQUIRE(help.size() > 30);
  const std::string readme =
      between(document("README.md"), "\n## Options\n", "\n## What it costs\n");
  CHECK(of_first_cells(readme, "`([a-z_]+)(?=[=`])") == help);
  const std::string options = document("docs/options.md");
  CHECK(of_first_cells(between(options, "\n## In short\n", "\n## The connection\n"),
                       "`([a-z_]+)(?=[=`])") == help);
}

TEST_CASE("docs/options.md has a heading for each option of help") {
  Names anchors;
  std::istringstream lines(document("docs/options.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("### ")) anchors.merge(matches(line, "`?([a-z_]+)"));
  }
  for (const std::string& name : of_help()) {
    INFO(name);
    CHECK(anchors.contains(name));
  }
}

}  // namespace ddm
