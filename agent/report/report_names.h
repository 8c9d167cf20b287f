// The names one report speaks of, made printable once each.
//
// For one thread; lives as long as the writing of one report. Ids that the table does not know
// (a damaged file) count as unknown.
#pragma once

#include <string>
#include <unordered_map>

#include "stack/names/name_table.h"

namespace ddm {

struct PrintableMethod {
  const MethodName* entry = nullptr;
  std::string class_name;
  std::string method;
  std::string file;
  std::string qualified;  // "a.B.method", "unknown"
};

class ReportNames {
 public:
  explicit ReportNames(const NameTable* names);  // null: every name is unknown

  const NameTable& table() const { return names_; }

  const std::string& class_name(NameId id);
  const PrintableMethod& method(NameId id);

  // "B.java:12", "B.java", "Native Method", "Unknown Source"; what a stack trace shows in ().
  std::string place(NameId method, int line);

 private:
  const NameTable& names_;
  // By id; references stay valid.
  std::unordered_map<NameId, std::string> classes_;
  std::unordered_map<NameId, PrintableMethod> methods_;
};

}  // namespace ddm
