// Which allocations become samples, and how many allocations one of them stands for.
//
// The VM lays points on the bytes that a thread allocates, `interval` bytes apart on average and
// each independent of the one before. An object that a point falls into is a sample, so one of
// `size` bytes becomes one with the probability 1 - exp(-size / interval): it stands for the
// inverse of that many of its kind, and for that many times its bytes. Estimates made so have no
// bias, whatever mixture of sizes a program allocates.
//
// VMs before 25 lose count: what a thread has used of its allocation buffer is forgotten whenever
// an object too big for the buffer comes by without becoming a sample, and counted twice when the
// buffer is used up. Where sizes alternate finely that shifts up to 17 % of all bytes from one to
// the other. Points that lie closer leave little room for it, so those VMs are asked for
// kOversampling times as many, of which we take one in so many, each size at the rate that it
// should have had.
#pragma once

#include <cstdint>

namespace ddm {

class AllocationSampling {
 public:
  static constexpr std::int64_t kOversampling = 32;

  AllocationSampling() = default;  // every allocation
  AllocationSampling(std::int64_t interval_bytes, bool vm_counts_right);

  std::int64_t interval_bytes() const { return interval_; }
  bool every_allocation() const { return interval_ == 0; }

  // What the VM is told.
  std::int64_t vm_interval_bytes() const { return vm_interval_; }

  // Bytes that a thread allocates until the VM's next event. `random` is uniform in [0, 1).
  std::uint64_t countdown(double random) const;

  // Whether the VM's event for an object of this size is a sample.
  bool takes(std::int64_t size, double random) const;

  // How many allocations a sample of this size stands for; 1 when there is every allocation.
  double weight_of(std::int64_t size) const;

 private:
  std::int64_t interval_ = 0;
  std::int64_t vm_interval_ = 0;
};

}  // namespace ddm
