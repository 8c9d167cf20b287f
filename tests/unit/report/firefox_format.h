// What the reader of profiler.firefox.com's processed format asks of a profile of version 70: every
// table has that version's columns and no others, all of one length, and numbers lead somewhere.
// "No library" and "no resource" are -1, "no line" is null.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace ddm {

inline void check_firefox_format(const nlohmann::json& profile) {
  using nlohmann::json;
  using Columns = std::set<std::string>;
  const auto check_table = [](const json& table, const Columns& columns) {
    Columns found;
    for (const auto& [name, values] : table.items()) {
      if (name == "length" || name == "weightType") continue;
      found.insert(name);
      INFO(name);
      CHECK((values.is_null() || values.size() == table["length"]));
    }
    CHECK(found == columns);
  };
  CHECK(profile["meta"]["version"] == 36);
  CHECK(profile["meta"]["preprocessedProfileVersion"] == 70);
  const json& shared = profile["shared"];
  const std::map<std::string, Columns> tables = {
      {"stackTable", {"frame", "prefixOffset"}},
      {"frameTable",
       {"address", "lib", "inlineDepth", "category", "subcategory", "func", "nativeSymbol",
        "innerWindowID", "line", "column", "originalLocation"}},
      {"funcTable",
       {"name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber",
        "originalLocation"}},
      {"resourceTable", {"name", "host", "type"}},
      {"nativeSymbols", {"libIndex", "address", "name", "functionSize"}},
      {"sources", {"id", "filename", "startLine", "startColumn", "sourceMapURL", "content"}},
      {"sourceLocationTable", {"source", "line", "column"}}};
  std::set<std::string> members{"stringArray"};
  for (const auto& [name, columns] : tables) {
    INFO(name);
    REQUIRE(shared.contains(name));
    check_table(shared[name], columns);
    members.insert(name);
  }
  for (const auto& [name, value] : shared.items()) CHECK(members.contains(name));

  const auto check_numbers = [](const json& column, std::int64_t least, std::size_t end) {
    for (const json& value : column) {
      REQUIRE(value.is_number_integer());
      CHECK(value >= least);
      CHECK(value < static_cast<std::int64_t>(end));
    }
  };
  const std::size_t texts = shared["stringArray"].size();
  check_numbers(shared["stackTable"]["frame"], 0, shared["frameTable"]["length"]);
  check_numbers(shared["frameTable"]["func"], 0, shared["funcTable"]["length"]);
  check_numbers(shared["frameTable"]["lib"], -1, profile["libs"].size());
  check_numbers(shared["frameTable"]["address"], -1, 0);
  check_numbers(shared["frameTable"]["category"], 0, profile["meta"]["categories"].size());
  check_numbers(shared["funcTable"]["name"], 0, texts);
  check_numbers(shared["funcTable"]["resource"], -1, shared["resourceTable"]["length"]);
  check_numbers(shared["sources"]["filename"], 0, texts);
  for (const json& thread : profile["threads"]) {
    check_table(thread["samples"], {"stack", "time", "weight"});
    check_table(thread["markers"], {"data", "name", "startTime", "endTime", "phase", "category"});
    CHECK(thread["pid"].is_string());
    if (!thread.contains("nativeAllocations")) continue;
    check_table(thread["nativeAllocations"], {"time", "weight", "stack"});
    check_numbers(thread["nativeAllocations"]["stack"], 0, shared["stackTable"]["length"]);
  }
}

}  // namespace ddm
