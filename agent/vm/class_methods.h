// What the methods of a linked class are called, and what they call: as the VM has it now. Any attached
// thread.
#pragma once

#include <jvmti.h>

#include <functional>
#include <string_view>

namespace ddm {

// Whether `is_it` is true of one of its own methods; also if the VM does not tell.
using IsMethod = std::function<bool(std::string_view name, std::string_view descriptor)>;
bool has_method(jvmtiEnv* jvmti, jclass klass, const IsMethod& is_it);

// Whether one of them calls a static method of the class `callee` (internal name). The constant pool
// does not tell: HotSpot keeps what a class once had in it, for good. The environment can get constant
// pools and bytecodes.
bool calls_static_of(jvmtiEnv* jvmti, jclass klass, std::string_view callee);

}  // namespace ddm
