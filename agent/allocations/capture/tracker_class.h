// java.lang.DdmTracker inside the VM: defined once, then swapped between a version that calls the
// agent (tracking on) and one of empty methods (off).
//
// Defined with JNI into java.base, so that every class finds it: no jar, no flag, also at late
// attach. Swapping it with RedefineClasses deoptimises what had its methods inlined, and escape
// analysis works again.
#pragma once

#include <jvmti.h>

#include <string>

#include "vm/bound_class.h"

namespace ddm {

// The prefix, too, of the class that has its natives.
inline constexpr const char* kTrackerClass = "java/lang/DdmTracker";

class TrackerClass {
 public:
  explicit TrackerClass(jvmtiEnv* jvmti);

  // "" or what went wrong. The class starts empty.
  std::string swap(bool on);

  // Of the natives; the Tracker itself is what is linked.
  BoundClass& bound() { return class_; }

 private:
  jvmtiEnv* const jvmti_;
  BoundClass class_;
};

}  // namespace ddm
