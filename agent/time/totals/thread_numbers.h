// Assigns numbers to thread names in order of arrival. Bounded: after kMost names, all others are
// kOthers. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>

namespace ddm {

using ThreadNumber = std::uint32_t;

class ThreadNumbers {
 public:
  static constexpr std::size_t kMost = 8192;
  static constexpr std::string_view kOthers = "(other threads)";

  ThreadNumber number_of(std::string_view name) {
    auto at = numbers_.find(name);
    if (at == numbers_.end() && numbers_.size() >= kMost) at = numbers_.find(name = kOthers);
    if (at != numbers_.end()) return at->second;
    names_.emplace_back(name);
    return numbers_.emplace(names_.back(), static_cast<ThreadNumber>(names_.size() - 1))
        .first->second;
  }
  // "": there is no such number.
  std::string_view name_of(ThreadNumber number) const {
    return number < names_.size() ? std::string_view(names_[number]) : "";
  }
  void clear() {
    numbers_.clear();
    names_.clear();
  }

 private:
  std::deque<std::string> names_;
  std::map<std::string_view, ThreadNumber> numbers_;  // of these
};

}  // namespace ddm
