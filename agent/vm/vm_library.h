// libjvm itself, whoever has opened it and how.
//
// A launcher that embeds the VM may open it with RTLD_LOCAL; then none of its symbols are among
// those that the process shares, and only its own handle finds them.
#pragma once

#include <jni.h>

namespace ddm::vm_library {

// Once, before any lookup. From an address in the library: there is no name that is always right.
void find(JavaVM* vm);

// What the VM exports under this name, or null. Any thread.
void* symbol(const char* name);

}  // namespace ddm::vm_library
