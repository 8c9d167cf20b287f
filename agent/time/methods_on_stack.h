// The hooked methods that really run on the current thread, asked of the VM: dear, and seldom done.
#pragma once

#include <jvmti.h>

#include <vector>

#include "time/calls/method_numbers.h"

namespace ddm {

// Innermost first, without the one that is being entered. On an attached thread, virtual ones too.
std::vector<MethodNumber> methods_on_stack(jvmtiEnv* jvmti, JNIEnv* jni,
                                           const MethodNumbers& numbers, MethodNumber entered);

}  // namespace ddm
