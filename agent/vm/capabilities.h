// The JVMTI capabilities that the agent holds as long as it is loaded.
//
// Those that only one agent of a VM may hold (sampled allocations) are not among them: whoever needs
// one takes it for as long as it is in use (allocations/capture/vm_engine).
#pragma once

#include <jvmti.h>

namespace ddm {

// Takes what this VM has to give, at load or at late attach, and says in one line of the log what is
// missing: no capability is a reason not to start. What needs a missing one fails with a reason.
void take_capabilities(jvmtiEnv* jvmti);

}  // namespace ddm
