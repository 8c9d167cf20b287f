// The virtual thread that is mounted on a carrier, from an extension function of JVMTI in HotSpot
// 21 and newer. It needs the capability of vm/virtual_thread_support.h.
#pragma once

#include <jvmti.h>

#include "vm/jvmti_environment.h"

namespace ddm {

class MountedThreads {
 public:
  // In a VM without virtual threads, or one that refuses, on() always returns null.
  void open(JNIEnv* jni);
  void close();

  // A local reference; null: none is mounted.
  jthread on(jthread carrier) const;

 private:
  using Function = jvmtiError(JNICALL*)(jvmtiEnv*, jthread, jthread*);

  JvmtiEnvironment jvmti_;
  Function function_ = nullptr;
};

}  // namespace ddm
