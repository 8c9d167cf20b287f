// Switch requests in progress, by session: a query of the state must not overtake them. Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace ddm {

class PendingSwitches {
 public:
  // Counts as pending during its lifetime.
  class One {
   public:
    One(PendingSwitches& all, std::uint64_t session) : all_(all), session_(session) {
      const std::lock_guard lock(all_.mutex_);
      ++all_.counts_[session_];
    }
    ~One() {
      const std::lock_guard lock(all_.mutex_);
      if (--all_.counts_[session_] == 0) all_.counts_.erase(session_);
    }
    One(const One&) = delete;
    One& operator=(const One&) = delete;

   private:
    PendingSwitches& all_;
    const std::uint64_t session_;
  };

  // Shared because a std::function must be copyable.
  std::shared_ptr<One> begin(std::uint64_t session) {
    return std::make_shared<One>(*this, session);
  }

  bool any(std::uint64_t session) {
    const std::lock_guard lock(mutex_);
    return counts_.contains(session);
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, int> counts_;
};

}  // namespace ddm
