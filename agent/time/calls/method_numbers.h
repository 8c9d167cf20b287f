// Small numbers for methods, for the calls of one program: what hooks are compiled with. A number
// stays a method's as long as the program runs. Any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ddm {

using MethodNumber = std::uint32_t;

struct MethodNames {
  std::string class_name;  // internal: "shop/Cart"
  std::string method;
  std::string signature;
  std::string file;          // "" is not known
  bool is_platform = false;  // a class of the boot or platform loader
};

class MethodNumbers {
 public:
  static constexpr MethodNumber kMost = 1u << 19;

  // None: there are kMost already. Classes of one name from several loaders share numbers.
  std::optional<MethodNumber> number_of(std::string_view class_name, std::string_view method,
                                        std::string_view signature, std::string_view file = {},
                                        bool is_platform = false);
  // None: it has none.
  std::optional<MethodNumber> find(std::string_view class_name, std::string_view method,
                                   std::string_view signature) const;
  MethodNumber count() const;
  MethodNames names_of(MethodNumber number) const;

 private:
  mutable std::mutex mutex_;
  std::deque<MethodNames> methods_;
  std::unordered_map<std::string, MethodNumber> numbers_;
};

}  // namespace ddm
