// Lazily filled caches of NameTable: one lock and one conversion per name.
#include "report/report_names.h"

#include "core/jvm_text.h"
#include "report/report_words.h"

namespace ddm {
namespace {

const NameTable& table_or_empty(const NameTable* names) {
  static const NameTable& empty = *new NameTable;
  return names != nullptr ? *names : empty;
}

}  // namespace

ReportNames::ReportNames(const NameTable* names) : names_(table_or_empty(names)) {}

const std::string& ReportNames::class_name(NameId id) {
  const auto [at, fresh] = classes_.try_emplace(id);
  if (fresh) at->second = printable(names_.class_name(id));
  return at->second;
}

const PrintableMethod& ReportNames::method(NameId id) {
  const auto [at, fresh] = methods_.try_emplace(id);
  PrintableMethod& text = at->second;
  if (fresh) {
    text.entry = &names_.method(id);
    text.class_name = printable(text.entry->class_name);
    text.method = printable(text.entry->method);
    text.file = printable(text.entry->file);
    const bool of_no_class = id == kLeftOutName || text.entry == &names_.method(kUnknownName);
    text.qualified = of_no_class ? text.method : text.class_name + "." + text.method;
    text.alike = shown_.try_emplace(text.qualified + '(' + text.file, id).first->second;
  }
  return text;
}

std::string ReportNames::text(const Frame& frame) {
  const PrintableMethod& called = method(frame.method);
  return called.qualified + '(' + place(frame.method, line_of(*called.entry, frame.bci)) + ')';
}

std::string ReportNames::place(NameId id, int line) {
  return place_text(method(id).file, line);
}

}  // namespace ddm
