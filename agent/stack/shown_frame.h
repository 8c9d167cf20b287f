// A frame as shown in reports, in eight bytes: the method's name, the index in the original class
// file, and the frame's role in its stack.
#pragma once

#include <cstdint>

#include "stack/frame.h"

namespace ddm {

enum class ShownRole : std::uint8_t {
  kPlain,
  kHidden,         // method handle plumbing, hidden in Java's own stack traces as well
  kTracker,        // a method of java.lang.DdmTracker or its natives
  kObjectInit,     // Object.<init>
  kAtConstructor,  // a constructor at its this() or super() call
  kArrayCopy,      // Arrays.copyOf and copyOfRange of object arrays, whose calls are hooked
};

class ShownFrame {
 public:
  ShownFrame() = default;
  ShownFrame(NameId method, std::int32_t bci, ShownRole role)
      : bits_(method | std::uint64_t{static_cast<std::uint32_t>(bci) & kBciMask} << 32 |
              std::uint64_t{static_cast<std::uint8_t>(role)} << 56) {}

  static ShownFrame from_bits(std::uint64_t bits) {
    ShownFrame result;
    result.bits_ = bits;
    return result;
  }
  std::uint64_t bits() const { return bits_; }

  Frame frame() const {
    // The uppermost of the 24 bits is the sign.
    const auto bci = static_cast<std::int32_t>(static_cast<std::uint32_t>(bits_ >> 32) << 8) >> 8;
    return {static_cast<NameId>(bits_), bci};
  }
  ShownRole role() const { return static_cast<ShownRole>(bits_ >> 56); }

 private:
  static constexpr std::uint32_t kBciMask = 0xffffff;  // a bytecode index has 16 bits, or is -1

  std::uint64_t bits_;  // uninitialized by default, like most frames of a ShownStack
};

}  // namespace ddm
