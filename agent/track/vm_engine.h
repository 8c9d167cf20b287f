// engine=vm: the VM's own SampledObjectAlloc events, by default for every allocation (interval 0).
//
// Exact from the moment a thread has used up the TLAB that was open when the events were switched
// on: the VM arms a TLAB only when it hands it out (ThreadLocalAllocBuffer::set_sample_end). What
// the open one still gives shows as unattributed bytes.
#pragma once

#include <cstdint>

#include "track/engine.h"
#include "track/recorder.h"

namespace ddm {

class VmEngine final : public Engine {
 public:
  VmEngine(jvmtiEnv* jvmti, Recorder& recorder, ThreadBooks& books);

  // Bytes between two samples of a thread, 0 = every allocation. Counts from the next start() on.
  void set_interval(std::int64_t bytes) { interval_ = static_cast<jint>(bytes); }

  const char* name() const override { return "vm"; }
  std::string prepare(JNIEnv*) override { return ""; }
  std::string start(JNIEnv* jni) override;
  std::string stop(JNIEnv* jni) override;
  EngineCounters counters() const override { return {}; }

  // The event, on the allocating thread.
  void sampled_object_alloc(JNIEnv* jni, jthread thread, jclass klass, jlong size) noexcept;

  // Uses up the calling thread's open TLAB, so that its next allocation is seen. For the main
  // thread at VMInit, before any of the program's code has run; costs at most one TLAB.
  void arm_current_thread(JNIEnv* jni);

 private:
  jvmtiEnv* const jvmti_;
  Recorder& recorder_;
  ThreadBooks& books_;
  jint interval_ = 0;
};

}  // namespace ddm
