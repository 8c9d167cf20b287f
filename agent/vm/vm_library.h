// A handle of libjvm.
//
// A launcher that embeds the VM may open it with RTLD_LOCAL; its symbols are then not global, and
// are found only through its own handle.
#pragma once

#include <jni.h>

namespace ddm::vm_library {

// Call once, before any lookup. Locates the library by an address in it, since its name varies.
void find(JavaVM* vm);

// The exported symbol, or null. Any thread.
void* symbol(const char* name);

}  // namespace ddm::vm_library
