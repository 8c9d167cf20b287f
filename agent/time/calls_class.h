// java.lang.DdmTrackerCalls inside the VM: the class that hooked methods call on entry and exit.
#pragma once

#include "vm/bound_class.h"

namespace ddm {

class CallRecorder;

inline constexpr const char* kCallsClass = "java/lang/DdmTrackerCalls";

// Its natives call `recorder`, of which there is one per process.
BoundClass calls_class(CallRecorder& recorder);

}  // namespace ddm
