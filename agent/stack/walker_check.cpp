#include "stack/walker_check.h"

#include <algorithm>
#include <cstdlib>

#include "core/log.h"

namespace ddm {
namespace {

constexpr std::int32_t kFirstStacks = 1000;
constexpr std::int32_t kFirstWithCode = 64;
constexpr std::int32_t kMostOdd = 16;
constexpr std::uint32_t kOneOf = 8192;  // 4 us each: half a nanosecond a stack

}  // namespace

constinit thread_local std::uint32_t WalkerCheck::t_stacks = 0;

WalkerCheck::WalkerCheck()
    : only_count_(std::getenv("DDMAGENT_CHECK_STACKS") != nullptr),
      every_(only_count_ ? 1 : kOneOf),
      first_left_(kFirstStacks),
      code_left_(kFirstWithCode) {}

const char* WalkerCheck::difference(std::span<const RawFrame> walked, bool complete,
                                    std::span<const RawFrame> reference) {
  const auto [mine, theirs] =
      std::mismatch(walked.begin(), walked.end(), reference.begin(), reference.end());
  if (mine == walked.end()) {
    return theirs == reference.end() || !complete ? nullptr : "frames missing";
  }
  if (theirs == reference.end()) return "too many frames";
  return mine->method != theirs->method ? "another method" : "another bytecode index";
}

void WalkerCheck::compared(const char* difference, bool odd) {
  compared_.fetch_add(1, std::memory_order_relaxed);
  if (difference != nullptr) return differed(difference);
  walked(odd);
}

void WalkerCheck::walked(bool odd) {
  if (odd) {
    if (odd_.fetch_add(1, std::memory_order_relaxed) + 1 == kMostOdd) differed("odd frames");
  } else if (odd_.load(std::memory_order_relaxed) > 0) {
    odd_.fetch_sub(1, std::memory_order_relaxed);
  }
}

bool WalkerCheck::code_ever_matched() const {
  return code_left_.load(std::memory_order_relaxed) < kFirstWithCode;
}

void WalkerCheck::distrust(const std::string& wrong) {
  if (!trusted_.exchange(false)) return;
  log_warn("a thread's stack is not where the VM's {} says: walker=jvmti", wrong);
}

void WalkerCheck::differed(const char* how) {
  {
    const std::lock_guard lock(mutex_);
    ++different_[how];
  }
  if (only_count_ || !trusted_.exchange(false)) return;
  log_warn("a stack that was walked differs from GetStackTrace's ({}): walker=jvmti from now on",
           how);
}

WalkerCounts WalkerCheck::counts() const {
  const std::lock_guard lock(mutex_);
  return {{}, compared_.load(std::memory_order_relaxed), different_};
}

}  // namespace ddm
