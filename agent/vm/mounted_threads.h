// The virtual thread that is mounted on a carrier, from an extension function of JVMTI in HotSpot
// 21 and newer.
//
// It needs the capability for virtual threads, which makes each mount and unmount slightly slower:
// the capability is acquired in an environment of its own, and relinquished.
#pragma once

#include <jvmti.h>

namespace ddm {

class MountedThreads {
 public:
  MountedThreads() = default;
  ~MountedThreads() { close(); }
  MountedThreads(const MountedThreads&) = delete;
  MountedThreads& operator=(const MountedThreads&) = delete;

  // In a VM without virtual threads, or one that refuses, on() always returns null.
  void open(JNIEnv* jni);
  void close();

  // A local reference; null: none is mounted.
  jthread on(jthread carrier) const;

 private:
  using Function = jvmtiError(JNICALL*)(jvmtiEnv*, jthread, jthread*);

  jvmtiEnv* jvmti_ = nullptr;
  Function function_ = nullptr;
};

}  // namespace ddm
