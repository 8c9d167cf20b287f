// java.lang.DdmTrackerCalls inside the VM: what hooked methods call when they begin and end.
#pragma once

#include "vm/bound_class.h"

namespace ddm {

class CallRecorder;

inline constexpr const char* kCallsClass = "java/lang/DdmTrackerCalls";

// Its natives lead to `recorder`, of which there is one in the process.
BoundClass calls_class(CallRecorder& recorder);

}  // namespace ddm
