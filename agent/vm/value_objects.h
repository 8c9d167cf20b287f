// Value objects (JEP 401: JDK 28 with --enable-preview): objects without an identity, which the VM
// hides from agents that do not ask for them.
//
// JDK 28's additions for them are declared here, since the agent is built with the headers of 17. Any
// thread.
#pragma once

#include <jvmti.h>

namespace ddm {

// The capability that adds value objects to allocation events, with a null `object`, since they have
// no identity. No bits: this VM has no value objects.
jvmtiCapabilities value_object_capability(jvmtiEnv* jvmti);

// Whether the VM runs with value classes.
bool has_value_objects(jvmtiEnv* jvmti);

// JNI's HasIdentity, JDK 28 and newer; before, every object has an identity. Objects without one
// cannot have weak references.
bool has_identity(JNIEnv* jni, jobject object);

}  // namespace ddm
