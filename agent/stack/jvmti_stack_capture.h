// The stack by JVMTI's GetStackTrace: always correct, and costs microseconds.
#pragma once

#include <span>
#include <string>

#include "stack/seen_methods.h"
#include "stack/stack_capture.h"

namespace ddm {

class JvmtiStackCapture final : public StackCapture {
 public:
  JvmtiStackCapture(jvmtiEnv* jvmti, SeenMethods& names);

  const char* name() const override { return "jvmti"; }
  void capture(JNIEnv* jni, ShownStack& stack) override;
  // The unfiltered frames from `start` on, innermost first; returns their number. A deeper stack
  // fills the span. 0: the stack cannot be had now.
  std::size_t frames_from(std::size_t start, std::span<RawFrame> frames);

  // "a.B.method(I)V @ 12", for the log.
  std::string text_of(JNIEnv* jni, const RawFrame& frame) const;

 private:
  jvmtiEnv* const jvmti_;
  SeenMethods& names_;
};

}  // namespace ddm
