// Assigns numbers to thread names in order of arrival. Bounded: after kMost names, all others are
// kOthers. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ddm {

using ThreadNumber = std::uint32_t;

class ThreadNumbers {
 public:
  static constexpr std::size_t kMost = 8192;
  static constexpr std::string_view kOthers = "(other threads)";

  ThreadNumber number_of(std::string_view name) {
    auto at = numbers_.find(name);
    if (at != numbers_.end()) return at->second;
    if (numbers_.size() >= kMost) name = kOthers;
    const auto number = static_cast<ThreadNumber>(numbers_.size());
    return numbers_.try_emplace(std::string(name), number).first->second;
  }
  // Names by number; valid until the next change.
  std::vector<const std::string*> names() const {
    std::vector<const std::string*> result(numbers_.size());
    for (const auto& [name, number] : numbers_) result[number] = &name;
    return result;
  }
  void clear() { numbers_.clear(); }

 private:
  std::map<std::string, ThreadNumber, std::less<>> numbers_;
};

}  // namespace ddm
