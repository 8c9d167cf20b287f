// In HotSpot 17 to 25 a jmethodID is the address of a cell that holds the VM's Method*. Redefining
// or retransforming the class stores another Method* in the cell, unloading the class stores null;
// the cell is never freed (classLoaderData.cpp: "we don't know when native code is going to stop
// using them"). JVMTI posts no event for either, so a reader compares the cells.
//
// From 26 on a jmethodID is a number (JDK-8268406). Which of the two holds is tested at start-up.
#pragma once

#include <jvmti.h>

namespace ddm {

class MethodPointers {
 public:
  explicit MethodPointers(JNIEnv* jni);

  bool known() const { return known_; }

  // The current Method*, for comparison only. Null if unloaded or not known(). Any thread; `method`
  // is, or was, a valid jmethodID.
  const void* of(jmethodID method) const {
    return known_ ? *reinterpret_cast<const void* const volatile*>(method) : nullptr;
  }

 private:
  const bool known_;
};

}  // namespace ddm
