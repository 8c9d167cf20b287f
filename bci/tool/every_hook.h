// Every transformation of the library, with one hook class: for the tools and tests that rewrite
// whatever they find.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bci/rewrite.h"

namespace bci {

class EveryHook {
 public:
  // The hooks call static methods of that class.
  explicit EveryHook(const std::string& hook_class);

  // Adds a transformation by name: objects, arrays, calls, enter, return, throw; "all" adds all.
  // False if there is none of that name.
  bool add(std::string_view name);
  std::span<const Transformation* const> chosen() const { return chosen_; }

  // The hooks that the hook class must have: name and descriptor.
  static std::vector<std::pair<std::string, std::string>> hooks();

 private:
  struct Named {
    std::string_view name;
    std::unique_ptr<Transformation> transformation;
  };
  std::vector<Named> all_;
  std::vector<const Transformation*> chosen_;
};

}  // namespace bci
