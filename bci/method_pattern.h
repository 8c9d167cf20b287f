// Selects methods or calls for a transformation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bci {

// Empty fields match anything: {"java/util/Arrays", "copyOf", ""} is every copyOf of Arrays.
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
  return std::ranges::any_of(patterns, [&](const MethodPattern& pattern) {
    return pattern.matches(owner, name, descriptor);
  });
}

// The arguments of a hook "(II)V": numbers that the user assigns to methods or calls.
struct HookNumbers {
  std::int32_t first = 0, second = 0;
};

}  // namespace bci
