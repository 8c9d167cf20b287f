// Assigns small numbers to methods, which are compiled into the hooks. A number is never reused.
// Any thread.
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
  std::string file;          // "" = unknown
  std::int32_t line = -1;    // of its first line; -1 = unknown
  bool is_platform = false;  // defined by the boot or platform loader
};

class MethodNumbers {
 public:
  static constexpr MethodNumber kMost = 1u << 19;

  // nullopt: kMost are in use. Classes of equal name in several loaders share numbers, and the file
  // and line of the one that came last.
  std::optional<MethodNumber> number_of(std::string_view class_name, std::string_view method,
                                        std::string_view signature, std::string_view file,
                                        std::int32_t line, bool is_platform);
  // nullopt: the method has no number.
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
