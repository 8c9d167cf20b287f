#include "stack/walker_check.h"

#include <algorithm>
#include <cstdlib>

#include "log.h"

namespace ddm {
namespace {

constexpr std::int32_t kFirstStacks = 128;
constexpr std::uint32_t kOneOf = 8192;  // 4 us each: half a nanosecond a stack

}  // namespace

constinit thread_local std::uint32_t WalkerCheck::t_stacks = 0;

WalkerCheck::WalkerCheck() : every_(kOneOf), first_left_(kFirstStacks) {
  if (std::getenv("DDMAGENT_CHECK_STACKS") != nullptr) {
    every_ = 1;
    only_count_ = true;
  }
}

const char* WalkerCheck::difference(std::span<const RawFrame> walked, bool complete,
                                    std::span<const RawFrame> official) {
  const auto [mine, theirs] =
      std::mismatch(walked.begin(), walked.end(), official.begin(), official.end());
  if (mine == walked.end() && (theirs == official.end() || !complete)) {
    return nullptr;
  }
  if (mine == walked.end()) return "frames missing";
  if (theirs == official.end()) return "too many frames";
  return mine->method != theirs->method ? "another method" : "another bytecode index";
}

void WalkerCheck::compared(const char* difference) {
  compared_.fetch_add(1, std::memory_order_relaxed);
  if (difference != nullptr) differed(difference);
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
