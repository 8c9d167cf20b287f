// The JDK's own jdwp agent (-agentlib:jdwp), seen from beside it.
#pragma once

#include <jni.h>

#include <string>

namespace ddm {

// Whether its library is there; a debugger may come later or never. Any thread.
bool has_jdwp_agent();

// Where it waits for a debugger, as it says itself: "dt_socket:5005". "": there is none, or it does
// not wait. Live phase; leaves no exception pending.
std::string jdwp_listener(JNIEnv* jni);

}  // namespace ddm
