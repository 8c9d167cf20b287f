// The classes that have got a model's patches as they were loaded, and those that are not to get
// them so. Any thread: class hooks ask.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bci/bytes.h"

namespace ddm {

using ClassFiles = std::map<std::string, std::vector<std::uint8_t>>;  // by name, "a.b.C"

class LatelyPatched {
 public:
  explicit LatelyPatched(std::set<std::string> left_out) : left_out_(std::move(left_out)) {}

  bool may_come(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return !left_out_.contains(name);
  }
  // It has patches; `class_file`: without them.
  void came(const std::string& name, bci::ByteSpan class_file) {
    const std::lock_guard lock(mutex_);
    came_[name].assign(class_file.begin(), class_file.end());
  }
  // From now on. True: it had come.
  bool leave_out(const std::string& name) {
    const std::lock_guard lock(mutex_);
    left_out_.insert(name);
    return came_.erase(name) > 0;
  }
  bool contains(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    return came_.contains(name);
  }
  ClassFiles all() const {
    const std::lock_guard lock(mutex_);
    return came_;
  }

 private:
  mutable std::mutex mutex_;  // of what follows
  std::set<std::string> left_out_;
  ClassFiles came_;
};

}  // namespace ddm
