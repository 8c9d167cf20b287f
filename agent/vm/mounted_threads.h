// The virtual thread that a carrier runs just now, by a function that HotSpot 21 and newer add to
// JVMTI.
//
// It takes the capability for virtual threads, which makes each of their switches a little dearer:
// taken in an environment of its own, and given back.
#pragma once

#include <jvmti.h>

namespace ddm {

class MountedThreads {
 public:
  MountedThreads() = default;
  ~MountedThreads() { close(); }
  MountedThreads(const MountedThreads&) = delete;
  MountedThreads& operator=(const MountedThreads&) = delete;

  // Before virtual threads, and where the VM refuses, on() never finds any.
  void open(JNIEnv* jni);
  void close();

  // A local reference, or null when it runs none.
  jthread on(jthread carrier) const;

 private:
  using Function = jvmtiError(JNICALL*)(jvmtiEnv*, jthread, jthread*);

  jvmtiEnv* jvmti_ = nullptr;
  Function function_ = nullptr;
};

}  // namespace ddm
