// engine=vm: the VM's SampledObjectAlloc events, by default for every allocation (interval 0).
//
// Only one agent per VM can have the capability, so it is acquired when tracking starts and
// relinquished when it stops. At start all TLABs are closed (open_tlabs.h), so every thread's next
// allocation is seen; where that is impossible, the rest of a thread's current TLAB becomes
// unattributed bytes.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "allocations/capture/engine.h"
#include "allocations/capture/open_tlabs.h"
#include "allocations/capture/recorder.h"
#include "allocations/store/sampling.h"
#include "vm/vm_events.h"

namespace ddm {

class VmEngine final : public Engine, private VmListener {
 public:
  VmEngine(jvmtiEnv* jvmti, Recorder& recorder, ThreadBooks& books);

  // Bytes between two samples of a thread, 0 = every allocation. Effective from the next start()
  // on.
  void set_interval(std::int64_t bytes);

  // The weights of its samples.
  const AllocationSampling& sampling() const { return sampling_; }

  const char* name() const override { return "vm"; }
  std::string prepare(JNIEnv*) override;
  std::string start(JNIEnv* jni) override;
  std::string stop(JNIEnv*) override;
  // Closes the open TLABs.
  void begin_in_pause() override;
  // Any thread, at the program's end: disables the events for good.
  void end_events() {
    ended_ = true;
    switch_events(JVMTI_DISABLE, nullptr);
  }
  EngineCounters counters(JNIEnv*) const override { return {}; }

 private:
  // Called on the allocating thread.
  void sampled_object_alloc(JNIEnv* jni, jthread thread, jobject object, jclass klass,
                            jlong size) noexcept override;
  std::int64_t size_of(jobject object) const;
  void give_capability_back();
  // "" or the error. `thread`: null for all.
  std::string set_vm_interval(std::int64_t bytes);
  std::string switch_events(jvmtiEventMode mode, jthread thread);
  // Locates a thread's countdown (sample_countdown.h), once: observes the calling thread while it
  // uses up its own with garbage that is not counted.
  void learn_countdowns(JNIEnv* jni);
  void sample_calling_thread(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  Recorder& recorder_;
  ThreadBooks& books_;
  std::optional<OpenTlabs> open_tlabs_;
  bool tlabs_located_ = false;
  bool tried_to_learn_ = false;
  bool sizes_wrap_ = false;  // sizes of events are not those of very large objects
  AllocationSampling sampling_;
  std::atomic<bool> ended_{false};
};

}  // namespace ddm
