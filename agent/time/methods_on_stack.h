// The hooked methods on the current thread's stack, by JVMTI: expensive and rarely used.
#pragma once

#include <jvmti.h>

#include <vector>

#include "time/calls/method_numbers.h"

namespace ddm {

// Innermost first, without `entered`, the method being entered. Attached threads, virtual ones
// included.
std::vector<MethodNumber> methods_on_stack(jvmtiEnv* jvmti, JNIEnv* jni,
                                           const MethodNumbers& numbers, MethodNumber entered);

}  // namespace ddm
