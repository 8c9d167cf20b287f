#include "time/calls/method_numbers.h"

namespace ddm {
namespace {

std::string key_of(std::string_view class_name, std::string_view method,
                   std::string_view signature) {
  std::string key(class_name);
  key.append(1, '.').append(method).append(signature);
  return key;
}

}  // namespace

std::optional<MethodNumber> MethodNumbers::number_of(std::string_view class_name,
                                                     std::string_view method,
                                                     std::string_view signature,
                                                     std::string_view file, std::int32_t line,
                                                     bool is_platform) {
  std::string key = key_of(class_name, method, signature);
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(key);
  if (found != numbers_.end()) {
    MethodNames& known = methods_[found->second];
    known.file = file;
    known.line = line;
    return found->second;
  }
  if (methods_.size() >= kMost) return {};
  const auto number = static_cast<MethodNumber>(methods_.size());
  methods_.push_back({std::string(class_name), std::string(method), std::string(signature),
                      std::string(file), line, is_platform});
  numbers_.emplace(std::move(key), number);
  return number;
}

std::optional<MethodNumber> MethodNumbers::find(std::string_view class_name,
                                                std::string_view method,
                                                std::string_view signature) const {
  const std::lock_guard lock(mutex_);
  const auto found = numbers_.find(key_of(class_name, method, signature));
  return found != numbers_.end() ? std::optional(found->second) : std::nullopt;
}

MethodNumber MethodNumbers::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<MethodNumber>(methods_.size());
}

MethodNames MethodNumbers::names_of(MethodNumber number) const {
  const std::lock_guard lock(mutex_);
  return number < methods_.size() ? methods_[number] : MethodNames{};
}

}  // namespace ddm
