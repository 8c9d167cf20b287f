// Which methods are wanted: methods=PATTERN, against "package.Class.method" and "package.Class".
//
//   shop.*              every method of every class whose name begins with "shop."
//   *.Cart.total        total of every class Cart
//   shop.Cart           all methods of that class
//   shop.*,*.Cart.*     any of several
//   shop.Cart.total(int,String)   the one with these parameters; with or without their packages
//
// '*' stands for any characters, dots too. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

class MethodFilter {
 public:
  // No method at all, until some are added.
  MethodFilter() = default;
  explicit MethodFilter(std::string_view patterns) { add(patterns); }

  // These, too. "": all methods but those of the boot and platform loaders.
  void add(std::string_view patterns);
  // What is wrong with patterns, in one sentence; "": nothing. Such a pattern means no method.
  static std::string fault(std::string_view patterns);

  // Whether a class may have such methods; no is certain. `internal_name`: "shop/Cart". Classes of
  // the boot and platform loaders are meant only by patterns that begin with a name: not by "*.x".
  bool may_want_class(std::string_view internal_name, bool is_platform) const;
  bool wants(std::string_view internal_name, std::string_view method, std::string_view descriptor,
             bool is_platform) const;
  // Every method that such a class may have.
  bool wants_all_of(std::string_view internal_name, bool is_platform) const;

  bool operator==(const MethodFilter&) const = default;

 private:
  struct Pattern {
    bool operator==(const Pattern&) const = default;
    std::string text;                                    // without parameters
    std::string literal;                                 // up to the first '*'
    std::optional<std::vector<std::string>> parameters;  // none: any
  };
  std::vector<Pattern> patterns_;
};

}  // namespace ddm
