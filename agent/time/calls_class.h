// java.lang.DdmTrackerCalls inside the VM: what hooked methods call when they begin and end.
// Defined once, into java.base, so that every class finds it; its natives are bound before that.
#pragma once

#include <jvmti.h>

#include <string>

namespace ddm {

class CallRecorder;

inline constexpr const char* kCallsClass = "java/lang/DdmTrackerCalls";

class CallsClass {
 public:
  // Its natives lead to `recorder`, of which there is one in the process.
  explicit CallsClass(CallRecorder& recorder);

  // "" or what went wrong; once is enough. The ClassPrepare event must be on and lead to
  // prepared().
  std::string define(JNIEnv* jni);

  // The ClassPrepare event, of any class.
  void prepared(JNIEnv* jni, jclass klass);

 private:
  jclass calls_ = nullptr;  // global references, never given back
  jclass link_ = nullptr;
  bool linking_ = false;
  bool bound_ = false;
};

}  // namespace ddm
