#include "allocations/capture/sample_countdown.h"

#include <algorithm>
#include <cstring>

namespace ddm {
namespace {

constexpr std::int64_t kUsualInterval = 512 * 1024;  // the VM's default
// A countdown exceeds this many intervals with probability e^-128.
constexpr std::uint64_t kMostIntervals = 128;

enum Word { kCountdown, kTopAtSample, kInEarlierTlabs, kOutsideTlabs };

bool is_in_tlab(std::uint64_t address, const SampleCountdown::Words& thread) {
  return thread.tlab_start <= address && address <= thread.tlab_top;
}

}  // namespace

SampleCountdown::Words SampleCountdown::read(std::uintptr_t thread, std::uint64_t tlab_start,
                                             std::uint64_t tlab_top) const {
  Words result;
  std::memcpy(result.words.data(), reinterpret_cast<const void*>(thread + position_),
              sizeof result.words);
  result.tlab_start = tlab_start;
  result.tlab_top = tlab_top;
  return result;
}

void SampleCountdown::learn(const Words& before, const Words& after) {
  expect_interval(kUsualInterval);
  form_ = Form::kUnknown;
  if (before.words[kCountdown] == 0 || !is_countdown(before.words[kCountdown]) ||
      after.words[kCountdown] != 0) {
    return;
  }
  const std::uint64_t second = after.words[kTopAtSample];
  const bool moved = second != before.words[kTopAtSample];
  if (second != 0 && moved && is_in_tlab(second, after) && after.words[kInEarlierTlabs] == 0 &&
      after.words[kOutsideTlabs] == 0) {
    form_ = Form::kBytesSince;
  } else if (!moved && !is_in_tlab(second, before) && !is_in_tlab(second, after)) {
    form_ = Form::kBytesLeft;
  }
}

void SampleCountdown::expect_interval(std::int64_t interval_bytes) {
  most_ = std::max(most_, kMostIntervals * static_cast<std::uint64_t>(interval_bytes));
}

bool SampleCountdown::is_plausible(const Words& thread) const {
  if (!known() || !is_countdown(thread.words[kCountdown])) return false;
  return form_ == Form::kBytesLeft || is_in_tlab(thread.words[kTopAtSample], thread);
}

void SampleCountdown::begin(std::uintptr_t thread, const Words& seen, std::uint64_t bytes) const {
  if (form_ == Form::kUnknown) return;
  const std::uint64_t words[] = {bytes, seen.tlab_top, 0, 0};
  std::memcpy(reinterpret_cast<void*>(thread + position_), words,
              form_ == Form::kBytesLeft ? sizeof bytes : sizeof words);
}

}  // namespace ddm
