// Runs a piece of code while the VM stands still at a safepoint.
//
// JVMTI has no such call. FollowReferences from the roots stops the VM, calls back for the first
// root and is told to end there. (From an object of ours it would do the same on 25; 17 looks
// through the whole heap afterwards to take its marks away, unless it ends among the roots.)
// An attached thread may call; nothing is allocated in the Java heap.
#pragma once

#include <jvmti.h>

#include <functional>
#include <string>

namespace ddm {

// work() runs once, on the VM's own thread, while no thread runs Java code or changes the heap;
// threads in native code go on. It uses neither JNI nor JVMTI, takes no lock and does not throw.
// `jvmti` has can_tag_objects. "" or why the VM did not stop.
std::string run_in_pause(jvmtiEnv* jvmti, std::function<void()> work);

// The same by a root that `jvmti` has tagged, a JNI global for one: asked for untagged ones too, the
// VM would first undo escape analysis in every running method. Without such a root the VM goes over
// the whole heap, and work() does not run.
std::string run_in_pause_at_tagged(jvmtiEnv* jvmti, std::function<void()> work);

}  // namespace ddm
