// Gives the methods of a class their jmethodIDs, by a Method* that a walk has found on the calling
// thread's stack.
//
// A method has no id before somebody asks for it, and a stack that it is on would be GetStackTrace's,
// for dozens of microseconds; at the start of a program thousands are. The class keeps the handle of
// its java.lang.Class, a cell that the collector keeps up to date as it does those behind JNI's
// references, and JVMTI takes it for one. Only for collectors that move objects in pauses: others
// want a reference of a kind of its own. Any thread.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

#include "stack/jvmti_stack_capture.h"
#include "stack/walk/method_resolution.h"

namespace ddm {

class MethodIds {
 public:
  MethodIds(JvmtiStackCapture& jvmti, const MethodResolution& methods)
      : jvmti_(jvmti), methods_(methods) {}

  // Once, where objects move in pauses only: looks whether such a handle is what it should be, and
  // gives ids from then on if so.
  void begin(JNIEnv* jni);

  // The method, with its id. Without one there is no such method, or it gets none.
  WalkedMethod version_of(VmAddress method) {
    const WalkedMethod version = methods_.checked_version_of(method);
    return version.id != 0 || !begun_ ? version : with_id(method);
  }

 private:
  // The VM keeps ids for good, also of classes that it has unloaded.
  static constexpr std::uint32_t kMostClasses = 16384;

  WalkedMethod with_id(VmAddress method);

  JvmtiStackCapture& jvmti_;
  const MethodResolution& methods_;
  bool begun_ = false;
  std::atomic<std::uint32_t> classes_{0};
};

}  // namespace ddm
