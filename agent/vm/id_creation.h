// Calls of JVMTI that may create jmethodIDs, one at a time where the VM needs that: GetStackTrace and
// GetFrameLocation, which create the ids of the methods that they find, and GetClassMethods of
// classes that may have been redefined.
//
// Before 23 (JDK-8313332) InstanceKlass::get_jmethod_id() loads the class's table of jmethodIDs
// before it takes its lock, and another thread that meets an obsolete method may grow the table and
// free the old one meanwhile: redefinition under load yields invalid ids. Classes that are being
// prepared have no obsolete methods, and GetAllStackTraces stops all threads.
//
// Any attached thread.
#pragma once

#include <jvmti.h>

#include <mutex>

namespace ddm::id_creation {

using Turn = std::unique_lock<std::timed_mutex>;

// To be held during the call.
[[nodiscard]] Turn turn(jvmtiEnv* jvmti);
// Creates the ids of all methods of the class.
void create_all(jvmtiEnv* jvmti, jclass owner);

}  // namespace ddm::id_creation
