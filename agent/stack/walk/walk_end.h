// How a walk of a thread's stack ends.
#pragma once

#include <cstdint>

namespace ddm {

enum class WalkEnd : std::uint8_t {
  kComplete,       // at the outermost frame, or at the requested depth
  kBarrier,        // a virtual thread's outer frames are in the heap
  kOdd,            // an unexpected frame
  kUnknownMethod,  // a method without an id
  kNoMemory,
  kUpcall,  // native code called Java, and the VM does not tell from where
  kCount
};

}  // namespace ddm
