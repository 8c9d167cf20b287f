// The stack by JVMTI's GetStackTrace: always correct, and costs microseconds.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "stack/seen_methods.h"
#include "stack/stack_capture.h"

namespace ddm {

class JvmtiStackCapture final : public StackCapture {
 public:
  JvmtiStackCapture(jvmtiEnv* jvmti, SeenMethods& names);

  const char* name() const override { return "jvmti"; }
  void capture(JNIEnv* jni, ShownStack& stack) override;
  std::size_t capture_raw(JNIEnv* jni, std::span<RawFrame> frames) override;

  // Creates the jmethodIDs of all methods of the class.
  void give_ids(jclass owner);

  // "a.B.method(I)V @ 12", for the log.
  std::string text_of(JNIEnv* jni, const RawFrame& frame) const;

 private:
  // Longer than any stack takes. If the lock is held longer, its owner is suspended and not inside
  // GetStackTrace.
  static constexpr std::chrono::milliseconds kPatience{10};

  std::unique_lock<std::timed_mutex> my_turn();
  std::size_t frames_from(std::size_t start, std::span<RawFrame> frames);

  jvmtiEnv* const jvmti_;
  SeenMethods& names_;
  // Before 23 (JDK-8313332) InstanceKlass::get_jmethod_id() loads the class's table of jmethodIDs
  // before it takes its lock, and another thread that meets an obsolete method may grow the table
  // and free the old one meanwhile: redefinition under load yields invalid ids.
  const bool one_at_a_time_;
  std::timed_mutex mutex_;
};

}  // namespace ddm
