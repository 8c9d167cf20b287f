// A stack and its elements: raw facts, no names, no JVM types.
#pragma once

#include <cstdint>

namespace ddm {

// Id of a class or method in NameTable. 0 = unknown.
using NameId = std::uint32_t;
inline constexpr NameId kUnknownName = 0;
// No method: stands for the missing frames of a stack with a gap, see CallTree::has_gap().
inline constexpr NameId kLeftOutName = 0xffffffff;

// Bytecode index of a frame without one.
inline constexpr std::int32_t kNativeFrameBci = -1;

struct Frame {
  NameId method = kUnknownName;
  std::int32_t bci = kNativeFrameBci;  // in the original class file
  friend bool operator==(const Frame&, const Frame&) = default;
};

// Replaces the innermost frame where sites are separated by thread.
inline Frame thread_frame(std::int64_t thread_id) {
  return {kUnknownName, static_cast<std::int32_t>(thread_id)};
}
inline std::int64_t thread_of(const Frame& thread_frame) { return thread_frame.bci; }

// The number of a stack, which is its innermost frame's node in a CallTree.
using TraceNumber = std::uint32_t;
inline constexpr TraceNumber kNoTrace = 0;     // nothing is known of the stack
inline constexpr TraceNumber kEmptyTrace = 1;  // no Java frame: where threads begin
inline constexpr TraceNumber kCutTrace = 2;    // in place of the frames beyond the depth

inline constexpr std::uint32_t kMaxDepth = 64;        // frames of a record in the ring
inline constexpr std::uint32_t kMaxTreeDepth = 1024;  // frames of a stack in a CallTree

}  // namespace ddm
