// When may memory be freed that other threads read without a lock?
//
// Readers stand in a Reading for as long as they use what they found; it costs them two additions
// to a counter of their own. A writer first makes the old thing unreachable, then retires it: it is
// freed once all who might have seen it have left.
//
// Readings are counted in two sets, one for the even phases and one for the odd ones. A phase ends
// when the set that the next one will use is empty: when phase n ends, all who came before it, and
// so all who may have seen what was retired in n - 1, have left.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace ddm {

class Reclamation {
 public:
  class Reading {  // may be nested
   public:
    explicit Reading(Reclamation& owner) noexcept : readers_(owner.enter()) {}
    ~Reading() { readers_.fetch_sub(1, std::memory_order_release); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    std::atomic<std::int64_t>& readers_;
  };

  // Frees it later, on a thread that retires something else. Also inside a Reading.
  void retire(std::shared_ptr<const void> unreachable);

  // Waits until everybody who is in a Reading now has left it. False: not within so long. Never
  // inside a Reading.
  bool wait_for_readers(std::chrono::milliseconds patience);

 private:
  static constexpr std::size_t kStripes = 32;
  struct alignas(64) Stripe {  // a cache line of its own
    std::atomic<std::int64_t> readers{0};
  };

  std::atomic<std::int64_t>& enter() noexcept;
  // Ends the phase if it can end; what may be freed comes back, for the caller to drop without
  // the lock.
  std::vector<std::shared_ptr<const void>> try_advance();

  std::array<std::array<Stripe, kStripes>, 2> sets_;
  std::atomic<std::uint64_t> phase_{0};
  std::mutex mutex_;                                         // writers
  std::vector<std::shared_ptr<const void>> retired_;         // in this phase
  std::vector<std::shared_ptr<const void>> retired_before_;  // in the last one
};

}  // namespace ddm
