// Walks the calling thread's Java stack into raw frames. One interface; today JVMTI GetStackTrace.
#pragma once

#include <jvmti.h>

#include <span>

namespace ddm {

struct RawFrame {
  jmethodID method;
  jlocation location;  // -1 in a native method
};

class StackCapture {
 public:
  virtual ~StackCapture() = default;
  virtual const char* name() const = 0;

  // Fills `frames` from the innermost frame outwards and returns how many there are. A thread with
  // more frames fills the span. 0 when the stack cannot be walked now. Runs on the thread itself,
  // takes no lock that Java code can hold, allocates nothing.
  virtual std::size_t capture(JNIEnv* jni, std::span<RawFrame> frames) = 0;
};

class JvmtiStackCapture final : public StackCapture {
 public:
  explicit JvmtiStackCapture(jvmtiEnv* jvmti) : jvmti_(jvmti) {}
  const char* name() const override { return "jvmti"; }
  std::size_t capture(JNIEnv*, std::span<RawFrame> frames) override {
    static_assert(sizeof(RawFrame) == sizeof(jvmtiFrameInfo));
    jint count = 0;
    const jvmtiError error =
        jvmti_->GetStackTrace(nullptr, 0, static_cast<jint>(frames.size()),
                              reinterpret_cast<jvmtiFrameInfo*>(frames.data()), &count);
    return error == JVMTI_ERROR_NONE && count > 0 ? static_cast<std::size_t>(count) : 0;
  }

 private:
  jvmtiEnv* const jvmti_;
};

}  // namespace ddm
