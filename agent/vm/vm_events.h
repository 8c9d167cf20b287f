// The JVMTI events of the agent's environment, and the listener of each.
//
// A component registers before it enables its event, and stays registered as long as the process
// lives: a thread may be about to call the listener when the event is disabled. Listeners are
// called on the threads that JVMTI specifies, concurrently. No exception crosses into the VM.
#pragma once

#include <jvmti.h>

namespace ddm {

// Every method does nothing by default.
class VmListener {
 public:
  virtual ~VmListener() = default;

  virtual void vm_init(JNIEnv*) {}
  virtual void vm_death(JNIEnv*) {}
  virtual void thread_start(JNIEnv*, jthread) {}
  virtual void thread_end(JNIEnv*, jthread) {}
  virtual void virtual_thread_end(JNIEnv*, jthread) {}  // vm/virtual_thread_support.h
  virtual void sampled_object_alloc(JNIEnv*, jthread, jobject, jclass, jlong /*size*/) noexcept {}
  virtual void monitor_contended_enter(JNIEnv*, jthread, jobject) noexcept {}
  virtual void monitor_contended_entered(JNIEnv*, jthread) noexcept {}
  virtual void monitor_wait(JNIEnv*, jthread, jobject) noexcept {}
  virtual void monitor_waited(JNIEnv*, jthread) noexcept {}
  // Called inside a GC pause: must not enter the VM.
  virtual void garbage_collection_finish() noexcept {}
  virtual void resource_exhausted(jint /*flags*/, const char* /*description*/) {}
  virtual void data_dump_request() {}
  // The VM is about to call this native method for the first time.
  virtual void native_method_bind(jmethodID) {}
};

// One listener per event; a later one replaces the earlier.
void listen_to(jvmtiEvent event, VmListener& listener);

// Call once, before any event is enabled.
jvmtiError set_event_callbacks(jvmtiEnv* jvmti);

}  // namespace ddm
