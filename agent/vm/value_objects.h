// Value objects (JEP 401: JDK 28 with --enable-preview): objects without an identity, which the VM
// hides from agents that do not ask for them.
//
// The headers of 17, which the agent is built with, do not know what JDK 28 has for them; it is
// declared here. Any thread.
#pragma once

#include <jvmti.h>

namespace ddm {

// What has the VM post allocation events of value objects; their `object` is null, since there is
// nothing that a reference could be compared with. No bits: this VM has no such objects.
jvmtiCapabilities value_object_capability(jvmtiEnv* jvmti);

// Whether the VM runs with value classes.
bool has_value_objects(jvmtiEnv* jvmti);

// JNI's HasIdentity, JDK 28 and newer; before, every object has one. A weak reference to an object
// without one cannot be made.
bool has_identity(JNIEnv* jni, jobject object);

}  // namespace ddm
