// All transformations of the library, with one hook class: for tools and tests that rewrite
// arbitrary classes.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "bci/rewrite.h"

namespace bci {

class EveryHook {
 public:
  // The hooks are static methods of that class.
  explicit EveryHook(const std::string& hook_class);

  // Adds a transformation by name: objects, arrays, calls, enter, return, throw; "all" adds all.
  // False: unknown name.
  bool add(std::string_view name);
  std::span<const Transformation* const> chosen() const { return chosen_; }

  // Name and descriptor of the methods required in the hook class.
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
