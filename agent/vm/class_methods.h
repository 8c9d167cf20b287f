// The names of a linked class's methods, and the calls in their current bytecode. Any attached
// thread.
#pragma once

#include <jvmti.h>

#include <functional>
#include <string_view>

#include "bci/bytes.h"

namespace ddm {

// Whether `is_it` holds for one of the class's own methods; true also if the VM does not list them.
using IsMethod = std::function<bool(std::string_view name, std::string_view descriptor)>;
bool has_method(jvmtiEnv* jvmti, jclass klass, const IsMethod& is_it);

// Whether `is_it` holds for the bytecode of one of them; native and abstract methods have none. True
// also if the VM does not list them. The environment needs can_get_bytecodes.
bool has_code(jvmtiEnv* jvmti, jclass klass, const std::function<bool(bci::ByteSpan)>& is_it);

// Whether one of them calls a static method of the class `callee` (internal name). The bytecode is
// scanned because HotSpot never removes entries from a constant pool. The environment needs
// can_get_constant_pool and can_get_bytecodes.
bool calls_static_of(jvmtiEnv* jvmti, jclass klass, std::string_view callee);

}  // namespace ddm
