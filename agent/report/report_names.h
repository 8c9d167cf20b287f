// The printable names used by one report, converted once each.
//
// For one thread; lives during the writing of one report. Ids that are not in the table (a damaged
// file) are treated as unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stack/names/name_table.h"

namespace ddm {

// Stands for the missing frames of a stack that was cut.
inline constexpr std::string_view kDeeperFramesCut = "[deeper frames cut]";

struct PrintableMethod {
  const MethodName* entry = nullptr;
  std::string class_name;
  std::string method;
  std::string file;
  std::string qualified;        // "a.B.method", "unknown"
  NameId alike = kUnknownName;  // the first method that is shown as this one, of overloads
};

class ReportNames {
 public:
  explicit ReportNames(const NameTable* names);  // null: every name is unknown

  const NameTable& table() const { return names_; }

  const std::string& class_name(NameId id);
  const PrintableMethod& method(NameId id);

  int line(const Frame& frame) { return line_of(*method(frame.method).entry, frame.bci); }
  // "a.B.method(B.java:12)"
  std::string text(const Frame& frame);
  std::string place(NameId method, int line);  // place_text()

 private:
  const NameTable& names_;
  // By id; references stay valid.
  std::unordered_map<NameId, std::string> classes_;
  std::unordered_map<NameId, PrintableMethod> methods_;
  std::unordered_map<std::string, NameId> shown_;  // "a.B.method(B.java"
};

// Numbers texts densely, in order of their first use.
class TextNumbers {
 public:
  std::uint32_t of(const std::string& text) {
    const auto [at, fresh] = numbers_.try_emplace(text, static_cast<std::uint32_t>(list_.size()));
    if (fresh) list_.push_back(text);
    return at->second;
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace ddm
