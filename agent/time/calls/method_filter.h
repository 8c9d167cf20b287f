// Selects methods: methods=PATTERN, matched against "package.Class.method" and "package.Class".
//
//   shop.*              every method of every class whose name begins with "shop."
//   *.Cart.total        total of every class Cart
//   shop.Cart           all methods of that class
//   shop.*,*.Cart.*     a union of several
//   shop.Cart.total(int,String)   the one with these parameters; with or without their packages
//
// '*' matches any characters, dots included. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

class MethodFilter {
 public:
  // Matches no method until patterns are added.
  MethodFilter() = default;
  explicit MethodFilter(std::string_view patterns) { add(patterns); }

  // Adds patterns. "": all methods except those of the boot and platform loaders.
  void add(std::string_view patterns);
  // The first error in the patterns, as a sentence; "": none. A faulty pattern matches no method.
  static std::string fault(std::string_view patterns);

  // Whether a class may have matching methods; false is certain. `internal_name`: "shop/Cart".
  // Classes of the boot and platform loaders match only patterns that begin with a name, not "*.x".
  bool may_want_class(std::string_view internal_name, bool is_platform) const;
  bool wants(std::string_view internal_name, std::string_view method, std::string_view descriptor,
             bool is_platform) const;
  // Whether all methods of such a class match.
  bool wants_all_of(std::string_view internal_name, bool is_platform) const;

  bool operator==(const MethodFilter&) const = default;

 private:
  struct Pattern {
    bool operator==(const Pattern&) const = default;
    std::string text;                                    // without parameters
    std::string literal;                                 // up to the first '*'
    std::optional<std::vector<std::string>> parameters;  // nullopt: any
  };
  std::vector<Pattern> patterns_;
};

}  // namespace ddm
