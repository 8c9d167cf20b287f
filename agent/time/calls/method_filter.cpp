#include "time/calls/method_filter.h"

#include <algorithm>

namespace ddm {
namespace {

// Whether `text` is what `pattern` stands for, each '*' of it for any characters.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = std::string_view::npos, tried = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      tried = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++tried;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

std::string dotted(std::string_view internal_name) {
  std::string name(internal_name);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

bool begin_alike(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  return a.substr(0, common) == b.substr(0, common);
}

}  // namespace

void MethodFilter::add(std::string_view patterns) {
  if (patterns.empty()) patterns = "*";
  while (!patterns.empty()) {
    const std::size_t comma = std::min(patterns.find(','), patterns.size());
    std::string text(patterns.substr(0, comma));
    patterns.remove_prefix(std::min(comma + 1, patterns.size()));
    if (text.empty()) continue;
    std::string literal = text.substr(0, text.find('*'));
    patterns_.push_back({std::move(text), std::move(literal)});
  }
}

bool MethodFilter::may_want_class(std::string_view internal_name, bool of_system) const {
  const std::string name = dotted(internal_name);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    if (pattern.literal.empty()) return !of_system;
    return begin_alike(pattern.literal, name + ".");
  });
}

bool MethodFilter::wants_all_of(std::string_view internal_name, bool of_system) const {
  const std::string class_name = dotted(internal_name);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    if (of_system && pattern.literal.empty()) return false;
    return matches(pattern.text, class_name);
  });
}

bool MethodFilter::wants(std::string_view internal_name, std::string_view method,
                         bool of_system) const {
  if (wants_all_of(internal_name, of_system)) return true;
  const std::string full = dotted(internal_name) + "." + std::string(method);
  return std::any_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
    return !(of_system && pattern.literal.empty()) && matches(pattern.text, full);
  });
}

}  // namespace ddm
