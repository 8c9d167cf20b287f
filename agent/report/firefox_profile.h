// Common parts of profiles for profiler.firefox.com (processed format, version 70): the shared
// tables of stacks, and the frame around them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/report_json.h"
#include "report/report_names.h"
#include "report/report_pieces.h"
#include "stack/frame.h"

namespace ddm {

class FirefoxStacks {
 public:
  explicit FirefoxStacks(ReportNames& names) : names_(names) {}

  // The stack of a call from `caller`'s. Lines below 1 are unknown.
  std::uint32_t call(std::optional<std::uint32_t> caller, NameId method, int line);
  std::uint32_t call(std::optional<std::uint32_t> caller, const Frame& frame);
  // In place of the frames beyond those that are kept.
  std::uint32_t cut();
  // An allocation there: the class is the innermost frame.
  std::uint32_t allocation(std::optional<std::uint32_t> caller, NameId class_id);

  // Writes the members of "shared".
  void append(ReportPieces& pieces) const;

 private:
  struct Stack {
    std::uint32_t frame = 0;
    std::uint32_t offset = 0;  // distance to the caller's entry; 0: there is none
  };
  struct Function {
    std::uint32_t name = 0;
    std::optional<std::uint32_t> source;
  };

  std::uint32_t child(std::optional<std::uint32_t> parent, std::uint32_t frame);
  std::uint32_t frame(std::uint32_t function, int line);
  std::uint32_t text_function(const std::string& name);
  std::uint32_t method_function(NameId id);
  std::uint32_t source(const std::string& file);

  ReportNames& names_;
  std::vector<Stack> stacks_;
  std::vector<std::pair<std::uint32_t, int>> frames_;  // function, line
  std::vector<Function> functions_;
  std::vector<std::uint32_t> sources_;  // indices of their names
  TextNumbers texts_;
  std::unordered_map<std::uint64_t, std::uint32_t> children_, by_frame_;
  std::unordered_map<NameId, std::uint32_t> class_functions_, method_functions_;
  std::unordered_map<std::string, std::uint32_t> by_file_;
};

struct FirefoxThread {
  std::string name;
  std::string process;
  std::int64_t pid = 0;
  std::int64_t id = 0;
  bool main = false;  // represents the process
};

// Begins the profile, up to the members of "shared". `begin_ms`: since the epoch.
void append_firefox_meta(std::string& out, std::string_view product, std::string_view platform,
                         std::int64_t begin_ms, std::int64_t span_ms);

// Begins a thread; its samples follow.
void append_firefox_thread(std::string& out, const FirefoxThread& thread);

// "key":[...], with `append(out, element)` for each element.
template <typename List, typename Append>
void append_firefox_list(ReportPieces& pieces, std::string_view key, const List& list,
                         Append append) {
  std::string& out = pieces.text();
  begin_json_member(out, key);
  out += '[';
  bool first = true;
  for (const auto& one : list) {
    if (!first) out += ',';
    first = false;
    append(out, one);
    if (!pieces.wanted()) return;
  }
  out += ']';
}
// The same with `number(element)`, which may be none.
template <typename List, typename Number>
void append_firefox_column(ReportPieces& pieces, std::string_view key, const List& list,
                           Number number) {
  append_firefox_list(pieces, key, list, [&](std::string& out, const auto& one) {
    append_json_number(out, number(one));
  });
}
// The last member of a table, and the end of the table.
void append_firefox_length(std::string& out, std::size_t length);

}  // namespace ddm
