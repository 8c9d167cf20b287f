// Compares the agent's stack walk with GetStackTrace: the first stacks, then one now and then.
//
// After a difference the walk is not trusted any more: callers of trusted() use GetStackTrace from
// then on. With DDMAGENT_CHECK_STACKS in the environment (for tests) every stack is compared and
// differences are only counted. Any thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "stack/stack_capture.h"

namespace ddm {

class WalkerCheck {
 public:
  static constexpr std::size_t kFrames = kMaxTreeDepth;  // compared frames at most

  WalkerCheck();

  bool trusted() const { return trusted_.load(std::memory_order_relaxed); }

  // Whether this stack of the calling thread should be compared.
  bool due() {
    if (first_left_.load(std::memory_order_relaxed) > 0) {
      return first_left_.fetch_sub(1, std::memory_order_relaxed) > 0;
    }
    if (++t_stacks < every_) return false;
    t_stacks = 0;
    return true;
  }

  // The difference, or null. `complete`: the walk covered the whole stack; otherwise its frames are
  // the innermost ones.
  static const char* difference(std::span<const RawFrame> walked, bool complete,
                                std::span<const RawFrame> reference);
  // A stack was compared. `difference`: the persistent difference after retries, or null. `odd`:
  // the walk met an unexpected frame.
  void compared(const char* difference, bool odd);
  // A stack was walked without comparison, while code_check_due(). `odd`: as in compared().
  void walked(bool odd);
  // The bounds of a walk are not where the VM's tables say: `wrong`.
  void distrust(const std::string& wrong);

  // Whether compiled code must be compared before it is decoded, until enough of it was correct. A
  // program's first stacks may contain none.
  bool code_check_due() const { return code_left_.load(std::memory_order_relaxed) > 0; }
  bool code_ever_matched() const;
  // A stack with compiled code was compared and correct. True: that was enough.
  bool code_matched() { return code_left_.fetch_sub(1, std::memory_order_relaxed) == 1; }

  WalkerCounts counts() const;  // except gave_up

 private:
  void differed(const char* how);

  static constinit thread_local std::uint32_t t_stacks;  // since the last comparison on this thread

  const bool only_count_;
  const std::uint32_t every_;
  std::atomic<bool> trusted_{true};
  std::atomic<std::int32_t> first_left_;
  std::atomic<std::int32_t> code_left_;
  std::atomic<std::int32_t> odd_{0};  // odd walks minus others, at least 0
  std::atomic<std::int64_t> compared_{0};
  mutable std::mutex mutex_;
  std::map<std::string, std::int64_t> different_;
};

}  // namespace ddm
