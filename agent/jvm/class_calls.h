// Whether a class calls hooks: what its code says as the VM has it now. Any attached thread.
#pragma once

#include <jvmti.h>

#include <string_view>

namespace ddm {

// Whether a method of the linked class `klass` calls a static method of the class `callee` (internal
// name). The constant pool does not tell: HotSpot keeps what a class once had in it, for good. The
// environment can get constant pools and bytecodes.
bool calls_static_of(jvmtiEnv* jvmti, jclass klass, std::string_view callee);

}  // namespace ddm
