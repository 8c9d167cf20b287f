// Selects samples among allocations, and computes how many allocations a sample represents.
//
// The VM distributes points over the bytes that a thread allocates, `interval` bytes apart on
// average and independent of each other. An object that contains a point is a sample, so an object
// of `size` bytes is sampled with probability 1 - exp(-size / interval): it represents the inverse
// of that many objects, and that many times its bytes. These estimates are unbiased for any mixture
// of sizes.
//
// VMs before 25 miscount: the used part of a thread's TLAB is forgotten whenever an object too
// large for the TLAB is allocated without being sampled, and counted twice when the TLAB is full.
// With finely alternating sizes this shifts up to 17 % of all bytes from one size to the other.
// Closer points reduce the error, so these VMs are asked for kOversampling times as many samples,
// of which one in so many is taken, each size at its correct rate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ddm {

// JVMTI SetHeapSamplingInterval takes a jint.
inline constexpr std::int64_t kMaxSamplingInterval = std::numeric_limits<std::int32_t>::max();

class AllocationSampling {
 public:
  static constexpr std::int64_t kOversampling = 32;

  AllocationSampling() = default;  // takes every allocation
  AllocationSampling(std::int64_t interval_bytes, bool vm_counts_right)
      : interval_(interval_bytes), vm_interval_(interval_bytes) {
    // Not 0, by which the VM would sample every allocation.
    if (interval_ > 0 && !vm_counts_right) {
      vm_interval_ = std::max<std::int64_t>(interval_ / kOversampling, 1);
    }
  }

  bool every_allocation() const { return interval_ == 0; }

  // The interval for JVMTI SetHeapSamplingInterval.
  std::int64_t vm_interval_bytes() const { return vm_interval_; }

  // Bytes that a thread allocates until the VM's next event. `random` is uniform in [0, 1).
  std::uint64_t countdown(double random) const {
    if (every_allocation()) return 0;
    return static_cast<std::uint64_t>(-std::log1p(-random) * static_cast<double>(vm_interval_)) + 1;
  }

  // Whether the VM's event for an object of this size is a sample.
  bool takes(std::int64_t size, double random) const {
    if (vm_interval_ == interval_) return true;
    return random * chance(size, vm_interval_) < chance(size, interval_);
  }

  // Number of allocations that a sample of this size represents; 1 if every allocation is recorded.
  double weight_of(std::int64_t size) const {
    return every_allocation() ? 1 : 1 / chance(size, interval_);
  }

 private:
  // The probability that `size` bytes contain a point, with points `interval` bytes apart on average.
  static double chance(std::int64_t size, std::int64_t interval) {
    return -std::expm1(-static_cast<double>(size) / static_cast<double>(interval));
  }

  std::int64_t interval_ = 0;
  std::int64_t vm_interval_ = 0;
};

}  // namespace ddm
