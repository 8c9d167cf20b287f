// Runs code at a safepoint.
//
// JVMTI has no such function. FollowReferences from the roots starts a VM operation, calls back for
// the first tagged root, and the callback aborts the walk. (From an object as starting point 25
// behaves the same; 17 would then iterate over the whole heap to clear its marks.)
//
// Untagged roots are filtered out: for them the VM would first deoptimize every frame with
// scalar-replaced objects. That allocates these while all threads wait: if it takes a collection and
// one of the threads is in a JNI critical region, Serial and Parallel wait forever.
//
// Attached threads; nothing is allocated in the Java heap.
#pragma once

#include <jvmti.h>

#include <functional>
#include <string>

namespace ddm {

// work() runs once, on the VM thread, while no thread runs Java code or changes the heap; threads
// in native code continue. It must use neither JNI nor JVMTI, take no lock and not throw. `jvmti`
// has can_tag_objects; some threads have a tag meanwhile. Returns "" or why there was no safepoint.
std::string run_in_pause(jvmtiEnv* jvmti, JNIEnv* jni, std::function<void()> work);

// The same where `jvmti` has tagged a root, such as a JNI global. Without one the VM walks the whole
// heap and work() does not run.
std::string run_in_pause_at_tagged(jvmtiEnv* jvmti, std::function<void()> work);

}  // namespace ddm
