#include "allocations/store/sampling.h"

#include <algorithm>
#include <cmath>

namespace ddm {
namespace {

// The probability that `size` bytes contain a point, with points `interval` bytes apart on average.
double chance(std::int64_t size, std::int64_t interval) {
  return -std::expm1(-static_cast<double>(size) / static_cast<double>(interval));
}

}  // namespace

AllocationSampling::AllocationSampling(std::int64_t interval_bytes, bool vm_counts_right)
    : interval_(interval_bytes), vm_interval_(interval_bytes) {
  // Not 0, by which the VM would sample every allocation.
  if (interval_ > 0 && !vm_counts_right) {
    vm_interval_ = std::max<std::int64_t>(interval_ / kOversampling, 1);
  }
}

std::uint64_t AllocationSampling::countdown(double random) const {
  if (every_allocation()) return 0;
  return static_cast<std::uint64_t>(-std::log1p(-random) * static_cast<double>(vm_interval_)) + 1;
}

bool AllocationSampling::takes(std::int64_t size, double random) const {
  if (vm_interval_ == interval_) return true;
  return random * chance(size, vm_interval_) < chance(size, interval_);
}

double AllocationSampling::weight_of(std::int64_t size) const {
  return every_allocation() ? 1 : 1 / chance(size, interval_);
}

}  // namespace ddm
