// Switch requests in progress, by session: a query of the state must not overtake them. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace ddm {

class PendingSwitches {
 public:
  // A switch is pending as long as somebody keeps the result.
  std::shared_ptr<const void> begin(std::uint64_t session) {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [](const auto& one) { return one.second.expired(); });
    std::shared_ptr<const void> one = pending_[session].lock();
    if (!one) pending_[session] = one = std::make_shared<char>();
    return one;
  }

  bool any(std::uint64_t session) {
    const std::lock_guard lock(mutex_);
    const auto found = pending_.find(session);
    return found != pending_.end() && !found->second.expired();
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<const void>> pending_;
};

}  // namespace ddm
