// Captures the calling thread's Java stack. Runs on the thread itself, takes no lock that Java code
// can hold, and allocates nothing on the common path.
#pragma once

#include <jvmti.h>

#include "stack/shown_stack.h"
#include "stack/walker.h"

namespace ddm {

struct RawFrame {
  jmethodID method;
  jlocation location;  // -1 in a native method
  friend bool operator==(const RawFrame&, const RawFrame&) = default;
};

class StackCapture {
 public:
  virtual ~StackCapture() = default;

  // The walker's name in reports: "vm" or "jvmti".
  virtual const char* name() const = 0;

  virtual WalkerCounts counts() const { return {}; }

  // Adds frames until the stack is full or ends. Adds none if there is no Java frame.
  virtual void capture(JNIEnv* jni, ShownStack& stack) = 0;
};

}  // namespace ddm
