// What stands behind a jmethodID in HotSpot 17 to 25: the address of a cell that holds the VM's
// Method. The cell gets another Method when the class is redefined or retransformed and null when
// the class is unloaded; it is never freed (classLoaderData.cpp: "we don't know when native code is
// going to stop using them"). No event tells of either, so this is how a reader notices.
//
// From 26 on a jmethodID is a number (JDK-8268406). Whether it is an address is tried at the start.
#pragma once

#include <jvmti.h>

namespace ddm {

class MethodPointers {
 public:
  explicit MethodPointers(JNIEnv* jni);

  bool known() const { return known_; }

  // The Method now, to be compared only. Null if unloaded or not known(). Any thread; `method` is
  // or was one.
  const void* of(jmethodID method) const {
    return known_ ? *reinterpret_cast<const void* const volatile*>(method) : nullptr;
  }

 private:
  const bool known_;
};

}  // namespace ddm
