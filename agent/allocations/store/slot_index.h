// Computes seq modulo the number of slots without a division, which takes as long as copying a
// record.
#pragma once

#include <bit>
#include <cstdint>

namespace ddm {

class SlotIndex {
 public:
  // `slots` > 0.
  explicit SlotIndex(std::uint32_t slots)
      : slots_(slots),
        shift_(std::countr_zero(slots)),
        parts_(slots >> shift_),
        inverse_(~std::uint64_t{0} / parts_ + 1) {}

  std::uint32_t slots() const { return slots_; }

  std::uint64_t of(std::uint64_t seq) const {
    const std::uint64_t low = seq & ((std::uint64_t{1} << shift_) - 1);
    if (parts_ == 1) return low;
    const std::uint64_t high = seq >> shift_;
    if (high >> 32 != 0) [[unlikely]]
      return seq % slots_;
    // Lemire, Kaser, Kurz: "Faster remainder by direct computation" (2019); exact for 32 bits.
    const auto part = static_cast<std::uint64_t>(
        (static_cast<unsigned __int128>(inverse_ * high) * parts_) >> 64);
    return part << shift_ | low;
  }

 private:
  std::uint32_t slots_;
  int shift_;
  std::uint32_t parts_;  // odd
  std::uint64_t inverse_;
};

}  // namespace ddm
