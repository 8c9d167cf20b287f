#include "time/calls/method_filter.h"

#include <algorithm>

#include "bci/descriptor.h"
#include "bci/glob.h"
#include "core/class_names.h"

namespace ddm {
namespace {

using bci::matches_glob;

bool begin_alike(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  return a.substr(0, common) == b.substr(0, common);
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

// Splits off the text before the next comma outside parentheses.
std::string_view take_pattern(std::string_view& patterns) {
  const std::size_t open = patterns.find('(');
  std::size_t comma = patterns.find(',');
  if (open < comma) comma = patterns.find(',', std::min(patterns.find(')', open), patterns.size()));
  const std::string_view pattern = patterns.substr(0, comma);
  patterns.remove_prefix(std::min(pattern.size() + 1, patterns.size()));
  return pattern;
}

// "(int,long[])"
std::vector<std::string> parameters_in(std::string_view brackets) {
  std::vector<std::string> types;
  std::string_view inside = brackets.substr(1, brackets.size() - 2);
  while (!inside.empty()) {
    types.push_back(without_blanks(inside.substr(0, inside.find(','))));
    inside.remove_prefix(std::min(inside.find(','), inside.size() - 1) + 1);
  }
  return types;
}

bool are_parameters(const std::vector<std::string>& wanted, std::string_view descriptor) {
  const auto parsed = bci::MethodDescriptor::parse(descriptor);
  if (!parsed) return false;
  const std::vector<std::string_view> types = parsed->argument_types();
  return std::equal(types.begin(), types.end(), wanted.begin(), wanted.end(),
                    [](std::string_view type, const std::string& pattern) {
                      const std::string name = type_name_of(type);
                      return matches_glob(pattern, name) || matches_glob("*." + pattern, name);
                    });
}

}  // namespace

std::string MethodFilter::fault(std::string_view patterns) {
  while (!patterns.empty()) {
    const std::string_view pattern = take_pattern(patterns);
    const std::size_t open = pattern.find('(');
    const bool whole = open == std::string_view::npos ? pattern.find(')') == open
                                                      : pattern.find(')') == pattern.size() - 1;
    if (!whole || open == 0) {
      return "'" + std::string(pattern) +
             "' is no method with parameters; right is shop.Cart.total(int,java.lang.String)";
    }
  }
  return "";
}

void MethodFilter::add(std::string_view patterns) {
  if (patterns.empty()) patterns = "*";
  while (!patterns.empty()) {
    const std::string_view pattern = take_pattern(patterns);
    if (pattern.empty() || !fault(pattern).empty()) continue;
    const std::size_t open = std::min(pattern.find('('), pattern.size());
    Pattern one{without_blanks(pattern.substr(0, open)), {}, {}};
    one.literal = one.text.substr(0, one.text.find('*'));
    if (open < pattern.size()) one.parameters = parameters_in(pattern.substr(open));
    patterns_.push_back(std::move(one));
  }
}

bool MethodFilter::may_want_class(std::string_view internal_name, bool is_platform) const {
  const std::string name = dotted_name(internal_name);
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    if (pattern.literal.empty()) return !is_platform;
    return begin_alike(pattern.literal, name + ".");
  });
}

bool MethodFilter::wants_all_of(std::string_view internal_name, bool is_platform) const {
  const std::string class_name = dotted_name(internal_name);
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    if ((is_platform && pattern.literal.empty()) || pattern.parameters) return false;
    return matches_glob(pattern.text, class_name);
  });
}

bool MethodFilter::wants(std::string_view internal_name, std::string_view method,
                         std::string_view descriptor, bool is_platform) const {
  const std::string class_name = dotted_name(internal_name);
  const std::string full = class_name + "." + std::string(method);
  return std::ranges::any_of(patterns_, [&](const Pattern& pattern) {
    if (is_platform && pattern.literal.empty()) return false;
    if (pattern.parameters) {
      return matches_glob(pattern.text, full) && are_parameters(*pattern.parameters, descriptor);
    }
    return matches_glob(pattern.text, full) || matches_glob(pattern.text, class_name);
  });
}

}  // namespace ddm
