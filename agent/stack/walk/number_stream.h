// Decodes the VM's streams of small numbers (UNSIGNED5): 1 to 5 bytes each, base 192, a byte below
// 192 is the last. `base` is subtracted from each byte: VmLayout::stream_base.
#pragma once

#include <cstdint>

#include "stack/walk/vm_memory.h"

namespace ddm {

// `jni_version`: JNI's GetVersion(). From JDK 20 on no byte is zero (JDK-8292758).
inline std::uint8_t stream_base_of(std::int32_t jni_version) {
  return jni_version >= 0x00140000 ? 1 : 0;
}

class NumberStream {
 public:
  // `unproven`: reads the bytes safely; null: they are certainly readable.
  NumberStream(VmAddress at, VmAddress end, std::uint8_t base,
               const UnprovenMemory* unproven = nullptr)
      : unproven_(unproven), at_(at), end_(end), base_(base) {}

  std::uint8_t byte() {
    if (at_ < end_) {
      const VmAddress at = at_++;
      return unproven_ != nullptr ? unproven_->read<std::uint8_t>(at) : load<std::uint8_t>(at);
    }
    good_ = false;
    return 0;
  }

  std::int32_t next() {
    constexpr std::uint32_t kLastBelow = 192;
    constexpr int kMostShift = 24;
    std::uint32_t sum = 0;
    for (int shift = 0;; shift += 6) {
      const std::uint32_t part = byte();
      if (!good_) return 0;
      sum += (part - base_) << shift;
      if (part < kLastBelow || shift == kMostShift) return static_cast<std::int32_t>(sum);
    }
  }

  // 0, -1, 1, -2, 2, ... are encoded as 0, 1, 2, 3, 4, ...
  std::int32_t next_signed() {
    const auto number = static_cast<std::uint32_t>(next());
    return static_cast<std::int32_t>(number >> 1 ^ (0u - (number & 1)));
  }

  // False once a number exceeded the end.
  bool good() const { return good_; }

 private:
  const UnprovenMemory* const unproven_;
  VmAddress at_;
  const VmAddress end_;
  const std::uint32_t base_;
  bool good_ = true;
};

}  // namespace ddm
