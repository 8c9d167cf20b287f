// java.lang.DdmTracker inside the VM: defined once, then swapped between a version that calls the
// agent (tracking on) and one of empty methods (off).
//
// Defined with JNI into java.base, so that every class finds it: no jar, no flag, also at late
// attach. Swapping it with RedefineClasses deoptimises what had its methods inlined, and escape
// analysis works again.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <string>

namespace ddm {

// The prefix, too, of the class that has its natives.
inline constexpr const char* kTrackerClass = "java/lang/DdmTracker";

class TrackerClass {
 public:
  explicit TrackerClass(jvmtiEnv* jvmti) : jvmti_(jvmti) {}

  // Both return "" or what went wrong. define() once is enough; the class starts empty. The
  // ClassPrepare event must be on and lead to prepared().
  std::string define(JNIEnv* jni);
  std::string swap(bool on);

  // The ClassPrepare event, of any class.
  void prepared(JNIEnv* jni, jclass klass);

 private:
  std::string link(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  jclass tracker_ = nullptr;  // global references, never given back
  jclass natives_ = nullptr;
  std::atomic<bool> linking_{false};
  bool bound_ = false;
};

}  // namespace ddm
