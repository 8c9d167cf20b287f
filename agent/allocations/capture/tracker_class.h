// java.lang.DdmTracker inside the VM: defined once, then redefined alternately to a version that
// calls the agent (tracking on) and one with empty methods (off).
//
// Defined with JNI into java.base, so every class can resolve it: without a jar or flag, also at
// late attach. RedefineClasses deoptimizes nmethods that inlined its methods, which restores escape
// analysis.
#pragma once

#include <jvmti.h>

#include <string>

#include "vm/bound_class.h"

namespace ddm {

class BciEngine;

// Also the prefix of the class with the natives.
inline constexpr const char* kTrackerClass = "java/lang/DdmTracker";

class TrackerClass {
 public:
  // The natives call `engine`, which lives as long as the process.
  TrackerClass(jvmtiEnv* jvmti, BciEngine& engine);

  // Redefines the class. "" or the error. Initially the methods are empty.
  std::string swap(bool on);

  // The class with the natives; the Tracker is its linked class.
  BoundClass& bound() { return class_; }

 private:
  jvmtiEnv* const jvmti_;
  BoundClass class_;
};

}  // namespace ddm
