// Lazily filled caches in front of NameTable: one lock and one conversion a name.
#include "records/report_names.h"

#include <fmt/format.h>

#include "records/report_utf8.h"

namespace ddm {
namespace {

const NameTable& table_or_empty(const NameTable* names) {
  static const NameTable empty;
  return names != nullptr ? *names : empty;
}

}  // namespace

ReportNames::ReportNames(const NameTable* names)
    : names_(table_or_empty(names)),
      classes_(names_.class_count() + 1),
      methods_(names_.method_count() + 1) {}

const std::string& ReportNames::class_name(NameId id) {
  const std::string*& text = classes_[id < classes_.size() ? id : kUnknownName];
  if (text == nullptr) text = &class_texts_.emplace_back(printable(names_.class_name(id)));
  return *text;
}

const PrintableMethod& ReportNames::method(NameId id) {
  if (id >= methods_.size()) id = kUnknownName;
  const PrintableMethod*& text = methods_[id];
  if (text == nullptr) {
    PrintableMethod& fresh = method_texts_.emplace_back();
    fresh.entry = &names_.method(id);
    fresh.class_name = printable(fresh.entry->class_name);
    fresh.method = printable(fresh.entry->method);
    fresh.file = printable(fresh.entry->file);
    fresh.qualified = id == kUnknownName ? fresh.method : fresh.class_name + "." + fresh.method;
    text = &fresh;
  }
  return *text;
}

std::string ReportNames::place(NameId id, int line) {
  if (line == kLineNative) return "Native Method";
  const std::string& file = method(id).file;
  if (file.empty()) return "Unknown Source";
  return line >= 0 ? fmt::format("{}:{}", file, line) : file;
}

}  // namespace ddm
