// Which methods or calls a transformation is about.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bci {

// A method, or with empty fields any: {"java/util/Arrays", "copyOf", ""} is every copyOf of Arrays.
struct MethodPattern {
  std::string owner, name, descriptor;

  bool matches(std::string_view owner_name, std::string_view method_name,
               std::string_view method_descriptor) const {
    return (name.empty() || name == method_name) && (owner.empty() || owner == owner_name) &&
           (descriptor.empty() || descriptor == method_descriptor);
  }
};

inline bool matches_any(const std::vector<MethodPattern>& patterns, std::string_view owner,
                        std::string_view name, std::string_view descriptor) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const MethodPattern& pattern) {
    return pattern.matches(owner, name, descriptor);
  });
}

// What a hook "(II)V" is called with: numbers that its user gives to methods or calls.
struct HookNumbers {
  std::int32_t first = 0, second = 0;
};

}  // namespace bci
