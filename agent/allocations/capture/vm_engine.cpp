#include "allocations/capture/vm_engine.h"

#include "core/log.h"
#include "core/random.h"
#include "vm/jvmti_error.h"
#include "vm/jvmti_memory.h"
#include "vm/value_objects.h"
#include "vm/vm_facts.h"
#include "vm/vm_flags.h"

namespace ddm {
namespace {

// Includes value objects on VMs that have them.
jvmtiCapabilities sampled_allocations(jvmtiEnv* jvmti) {
  jvmtiCapabilities result = value_object_capability(jvmti);
  result.can_generate_sampled_object_alloc_events = 1;
  return result;
}

constexpr jsize kGarbageBytes = 4096;
constexpr int kMostGarbageArrays = 16384;  // 64 MB, more than any countdown

// The calling thread is creating garbage until it is sampled, which is not recorded.
thread_local bool t_waits_for_sample = false;

// From this release on the VM's sampler counts every byte once (allocations/store/sampling.h).
constexpr int kRightCountSince = 25;

// Before this release an event's size is computed as an int, modulo 4 GiB (JDK-4718400); GetObjectSize
// is right.
constexpr int kWideSizesSince = 21;
constexpr std::uint64_t kLeastWrapped = std::uint64_t{1} << 31;

double random_of_thread() {
  thread_local Random random(&t_waits_for_sample);
  return random.uniform();
}

}  // namespace

VmEngine::VmEngine(jvmtiEnv* jvmti, Recorder& recorder, ThreadBooks& books)
    : jvmti_(jvmti), recorder_(recorder), books_(books) {
  listen_to(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, *this);
}

void VmEngine::set_interval(std::int64_t bytes) {
  sampling_ = AllocationSampling(bytes, vm_feature_release(jvmti_) >= kRightCountSince);
}

std::string VmEngine::prepare(JNIEnv*) {
  sizes_wrap_ = vm_feature_release(jvmti_) < kWideSizesSince &&
                vm_flags::word("MaxHeapSize").value_or(kLeastWrapped) >= kLeastWrapped;
  const jvmtiCapabilities wanted = sampled_allocations(jvmti_);
  const jvmtiError error = jvmti_->AddCapabilities(&wanted);
  if (error == JVMTI_ERROR_NOT_AVAILABLE) {
    return "another agent of this VM has the allocation events, which only one can have; "
           "engine=bci works beside it";
  }
  return jvmti_failure("can_generate_sampled_object_alloc_events", error);
}

std::string VmEngine::start(JNIEnv* jni) {
  learn_countdowns(jni);
  std::string error = set_vm_interval(sampling_.vm_interval_bytes());
  if (error.empty()) error = switch_events(JVMTI_ENABLE, nullptr);
  if (error.empty() && ended_) {  // end_events() may have come before the events were enabled
    switch_events(JVMTI_DISABLE, nullptr);
    error = "the program ends";
  }
  if (!error.empty()) give_capability_back();
  return error;
}

std::string VmEngine::set_vm_interval(std::int64_t bytes) {
  return jvmti_failure("SetHeapSamplingInterval",
                       jvmti_->SetHeapSamplingInterval(static_cast<jint>(bytes)));
}

std::string VmEngine::switch_events(jvmtiEventMode mode, jthread thread) {
  return jvmti_failure(
      mode == JVMTI_ENABLE ? "enabling SampledObjectAlloc" : "disabling SampledObjectAlloc",
      jvmti_->SetEventNotificationMode(mode, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, thread));
}

std::string VmEngine::stop(JNIEnv*) {
  std::string error = switch_events(JVMTI_DISABLE, nullptr);
  if (error.empty()) give_capability_back();
  return error;
}

void VmEngine::give_capability_back() {
  const jvmtiCapabilities taken = sampled_allocations(jvmti_);
  const jvmtiError error = jvmti_->RelinquishCapabilities(&taken);
  if (error != JVMTI_ERROR_NONE) log_warn("RelinquishCapabilities: {}", jvmti_error_name(error));
}

void VmEngine::learn_countdowns(JNIEnv* jni) {
  if (!tlabs_located_) {
    tlabs_located_ = true;
    const auto allocated = books_.allocated_layout();
    if (allocated) {
      open_tlabs_ = OpenTlabs::find(jni, *allocated, books_.vm_thread(jni));
    }
    if (!open_tlabs_) {
      log_info("this VM does not show its TLABs: what open ones still give is not seen");
    }
  }
  if (open_tlabs_ && open_tlabs_->countdowns().known()) return;
  if (tried_to_learn_ && !sampling_.every_allocation()) return;
  tried_to_learn_ = true;
  LocalRef<jthread> thread(jni, nullptr);
  if (jvmti_->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE) return;
  // The event is enabled for this thread only until all countdowns are restarted.
  if (!set_vm_interval(0).empty() || !switch_events(JVMTI_ENABLE, thread.get()).empty()) return;
  sample_calling_thread(jni);
  const std::string error = switch_events(JVMTI_DISABLE, thread.get());
  if (!error.empty()) log_warn("{}", error);
}

void VmEngine::begin_in_pause() {
  if (!open_tlabs_) return;
  open_tlabs_->countdowns().expect_interval(sampling_.vm_interval_bytes());
  Random random(this);
  open_tlabs_->close([&] { return sampling_.countdown(random.uniform()); });
}

void VmEngine::sample_calling_thread(JNIEnv* jni) {
  const std::uintptr_t self = open_tlabs_ ? books_.vm_thread(jni) : 0;
  SampleCountdown::Words before;
  if (self != 0) before = open_tlabs_->read(self);
  t_waits_for_sample = true;
  for (int i = 0; i < kMostGarbageArrays && t_waits_for_sample; ++i) {
    const LocalRef<jbyteArray> garbage(jni, jni->NewByteArray(kGarbageBytes));
    if (clear_exception(jni)) break;
  }
  const bool sampled = !t_waits_for_sample;
  t_waits_for_sample = false;
  if (self != 0 && sampled) open_tlabs_->countdowns().learn(before, open_tlabs_->read(self));
}

std::int64_t VmEngine::size_of(jobject object) const {
  jlong size = 0;
  return jvmti_->GetObjectSize(object, &size) == JVMTI_ERROR_NONE ? size : 0;
}

void VmEngine::sampled_object_alloc(JNIEnv* jni, jthread thread, jobject object, jclass klass,
                                    jlong size) noexcept {
  if (t_waits_for_sample) {
    t_waits_for_sample = false;
    return;
  }
  double weight = 1;
  // 0: the recorder computes it, in most cases without a call.
  if (sizes_wrap_) size = sampling_.every_allocation() ? 0 : size_of(object);
  if (!sampling_.every_allocation()) {
    if (!sampling_.takes(size, random_of_thread())) return;
    weight = sampling_.weight_of(size);
  }
  recorder_.record(jni, object, {thread, klass, size}, TopFrames::kAsTheyAre, weight);
}

}  // namespace ddm
