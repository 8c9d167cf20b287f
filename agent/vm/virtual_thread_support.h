// JVMTI's support for virtual threads, in HotSpot 21 and newer. Its capability makes each mount and
// unmount slightly slower: users hold it in an environment of their own, and only while they need it.
#pragma once

#include <jvmti.h>

#include "vm/jvmti_environment.h"
#include "vm/vm_events.h"

namespace ddm {

// An environment with the capability. Null: `error` is why, or JVMTI_ERROR_NONE in a VM without
// virtual threads.
JvmtiEnvironment virtual_thread_environment(JNIEnv* jni, jvmtiError& error);

// The event VirtualThreadEnd: VmListener::virtual_thread_end().
class VirtualThreadEnds {
 public:
  // In a VM without virtual threads, or one that refuses, there are no events. `listener` must outlive
  // the process's threads. Does nothing if it is open.
  void open(JNIEnv* jni, VmListener& listener);
  void close() { jvmti_ = nullptr; }

 private:
  JvmtiEnvironment jvmti_;
};

}  // namespace ddm
