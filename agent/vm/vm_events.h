// The JVMTI events of the agent's environment, and who is told of each.
//
// A part listens before it enables its event, and for as long as the process lives: a thread may
// still be on its way to it when the event is switched off. Events come on the threads that JVMTI
// names, from many at once. No exception crosses into the VM.
#pragma once

#include <jvmti.h>

namespace ddm {

// Each does nothing unless it is overridden.
class VmListener {
 public:
  virtual ~VmListener() = default;

  virtual void vm_init(JNIEnv*) {}
  virtual void vm_death(JNIEnv*) {}
  virtual void thread_start(JNIEnv*, jthread) {}
  virtual void thread_end(JNIEnv*, jthread) {}
  virtual void sampled_object_alloc(JNIEnv*, jthread, jobject, jclass, jlong /*size*/) noexcept {}
  virtual void monitor_contended_enter(JNIEnv*, jthread, jobject) noexcept {}
  virtual void monitor_contended_entered(JNIEnv*, jthread) noexcept {}
  virtual void monitor_wait(JNIEnv*, jthread, jobject) noexcept {}
  virtual void monitor_waited(JNIEnv*, jthread) noexcept {}
  // Inside a GC pause: nothing of the VM may be touched.
  virtual void garbage_collection_finish() noexcept {}
  virtual void resource_exhausted(jint /*flags*/) {}
  virtual void data_dump_request() {}
};

// One listener an event; a later one takes the place of the one before.
void listen_to(jvmtiEvent event, VmListener& listener);

// Once, before any event is enabled.
jvmtiError set_event_callbacks(jvmtiEnv* jvmti);

}  // namespace ddm
