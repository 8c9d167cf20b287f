// NameTable and the two pure functions beside it. See the header for what callers may rely on.
#include "records/name_table.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace ddm {
namespace {

constexpr std::size_t kMaxDimensions = 255;  // JVMS 4.4.1

std::string_view primitive_name(char descriptor) {
  switch (descriptor) {
    case 'Z':
      return "boolean";
    case 'B':
      return "byte";
    case 'C':
      return "char";
    case 'S':
      return "short";
    case 'I':
      return "int";
    case 'J':
      return "long";
    case 'F':
      return "float";
    case 'D':
      return "double";
    case 'V':
      return "void";
    default:
      return {};
  }
}

void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

std::size_t content_hash(const MethodName& method) {
  const std::hash<std::string> text;
  std::size_t hash = method.native ? 1 : 0;
  mix(hash, text(method.class_name));
  mix(hash, text(method.method));
  mix(hash, text(method.signature));
  mix(hash, text(method.file));
  for (const LineEntry& entry : method.lines) {
    mix(hash, (std::size_t{entry.bci} << 16) | entry.line);
  }
  return hash;
}

}  // namespace

int line_of(const MethodName& method, std::int32_t bci) {
  if (method.native) return kLineNative;
  if (bci < 0) return kLineUnknown;
  // Like HotSpot: the first entry of exactly this bci, else the last one below it.
  const auto at = std::lower_bound(
      method.lines.begin(), method.lines.end(), bci,
      [](const LineEntry& entry, std::int32_t wanted) { return entry.bci < wanted; });
  if (at != method.lines.end() && at->bci == bci) return at->line;
  return at == method.lines.begin() ? kLineUnknown : std::prev(at)->line;
}

std::string type_name_of(std::string_view signature) {
  const std::size_t dimensions = std::min(signature.find_first_not_of('['), signature.size());
  const std::string_view element = signature.substr(dimensions);
  std::string name;
  if (element.size() == 1) {
    name = primitive_name(element[0]);
    if (element[0] == 'V' && dimensions > 0) name.clear();
  } else if (element.size() > 2 && element.front() == 'L' &&
             element.find(';') == element.size() - 1) {
    name = element.substr(1, element.size() - 2);
    for (char& c : name) {
      // A dot in a signature stands only before the suffix of a hidden class.
      if (c == '/') {
        c = '.';
      } else if (c == '.') {
        c = '/';
      }
    }
  }
  if (name.empty() || dimensions > kMaxDimensions) return std::string(signature);
  for (std::size_t i = 0; i < dimensions; ++i) name += "[]";
  return name;
}

NameTable::NameTable() {
  classes_.emplace_back("unknown");
  MethodName& unknown = methods_.emplace_back();
  unknown.class_name = "unknown";
  unknown.method = "unknown";
}

NameId NameTable::add_class(std::string_view type_name) {
  const std::lock_guard lock(mutex_);
  if (const auto found = class_ids_.find(type_name); found != class_ids_.end()) {
    return found->second;
  }
  const auto id = static_cast<NameId>(classes_.size());
  class_ids_.emplace(classes_.emplace_back(type_name), id);
  return id;
}

NameId NameTable::add_method(MethodName method) {
  const std::size_t hash = content_hash(method);
  const std::lock_guard lock(mutex_);
  const auto [first, last] = method_ids_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (methods_[at->second] == method) return at->second;
  }
  const auto id = static_cast<NameId>(methods_.size());
  methods_.push_back(std::move(method));
  method_ids_.emplace(hash, id);
  return id;
}

const std::string& NameTable::class_name(NameId id) const {
  const std::lock_guard lock(mutex_);
  return classes_[id < classes_.size() ? id : kUnknownName];
}

const MethodName& NameTable::method(NameId id) const {
  const std::lock_guard lock(mutex_);
  return methods_[id < methods_.size() ? id : kUnknownName];
}

std::size_t NameTable::class_count() const {
  const std::lock_guard lock(mutex_);
  return classes_.size() - 1;
}

std::size_t NameTable::method_count() const {
  const std::lock_guard lock(mutex_);
  return methods_.size() - 1;
}

}  // namespace ddm
