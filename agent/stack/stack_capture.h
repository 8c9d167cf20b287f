// The calling thread's Java stack. Runs on the thread itself, takes no lock that Java code can
// hold, allocates nothing on the common path.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <span>

#include "stack/shown_stack.h"
#include "stack/walker_counts.h"

namespace ddm {

struct RawFrame {
  jmethodID method;
  jlocation location;  // -1 in a native method
  friend bool operator==(const RawFrame&, const RawFrame&) = default;
};

// Frames as JVMTI tells them -> frames as they are shown.
class FrameNames {
 public:
  virtual ~FrameNames() = default;

  // Goes up when what was shown of frames before may not hold any longer.
  const std::atomic<std::uint32_t>& generation() const { return generation_; }

  // `version`: the Method* of the version of the method that the frame runs; null for the newest.
  virtual ShownFrame shown(JNIEnv* jni, RawFrame frame, const void* version) = 0;

 protected:
  std::atomic<std::uint32_t> generation_{1};
};

class StackCapture {
 public:
  virtual ~StackCapture() = default;

  // What walks the stacks, for reports: "vm" or "jvmti".
  virtual const char* name() const = 0;

  virtual WalkerCounts counts() const { return {}; }

  // Adds frames until the stack has enough or the thread no more. None when it has no Java frame.
  virtual void capture(JNIEnv* jni, ShownStack& stack) = 0;

  // The frames as they are, from the innermost outwards: how many there are. A thread with more
  // frames fills the span. 0 when the stack cannot be walked now.
  virtual std::size_t capture_raw(JNIEnv* jni, std::span<RawFrame> frames) = 0;
};

}  // namespace ddm
