// The JDK's own jdwp agent (-agentlib:jdwp), seen from beside it.
#pragma once

#include <jni.h>

#include <functional>
#include <string>

namespace ddm {

// Whether its library is there; a debugger may come later or never. Any thread.
bool has_jdwp_agent();

// Where it waits for a debugger, as it says itself: "dt_socket:5005". "": there is none, or it does
// not wait. Live phase; leaves no exception pending.
std::string jdwp_listener(JNIEnv* jni);

// At the VM's start, in our VMInit: `ready` is called when every other agent has had that event, too.
// False, and it is not called: the VM gives no further environment.
bool after_vm_init_of_all(JavaVM* vm, std::function<void()> ready);

}  // namespace ddm
