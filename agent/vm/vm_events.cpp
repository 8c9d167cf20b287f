#include "vm/vm_events.h"

#include <array>
#include <atomic>
#include <exception>

#include "core/log.h"

namespace ddm {
namespace {

constexpr int kEvents = JVMTI_MAX_EVENT_TYPE_VAL - JVMTI_MIN_EVENT_TYPE_VAL + 1;

// JVMTI callbacks have no user-data argument, so the table is per process.
std::array<std::atomic<VmListener*>, kEvents> g_listeners{};

std::atomic<VmListener*>& listener_of(jvmtiEvent event) {
  return g_listeners[static_cast<std::size_t>(event - JVMTI_MIN_EVENT_TYPE_VAL)];
}

template <typename Work>
void notify(jvmtiEvent event, const char* name, Work work) noexcept {
  VmListener* const listener = listener_of(event).load(std::memory_order_acquire);
  if (listener == nullptr) return;
  try {
    work(*listener);
  } catch (const std::exception& failure) {
    log_error("in {}: {}", name, failure.what());
  }
}

void JNICALL VMInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  notify(JVMTI_EVENT_VM_INIT, "VMInit", [&](VmListener& to) { to.vm_init(jni); });
}

void JNICALL VMDeath(jvmtiEnv*, JNIEnv* jni) {
  notify(JVMTI_EVENT_VM_DEATH, "VMDeath", [&](VmListener& to) { to.vm_death(jni); });
}

void JNICALL ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  notify(JVMTI_EVENT_THREAD_START, "ThreadStart",
         [&](VmListener& to) { to.thread_start(jni, thread); });
}

void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  notify(JVMTI_EVENT_THREAD_END, "ThreadEnd", [&](VmListener& to) { to.thread_end(jni, thread); });
}

void JNICALL SampledObjectAlloc(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                jclass klass, jlong size) {
  notify(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, "SampledObjectAlloc",
         [&](VmListener& to) { to.sampled_object_alloc(jni, thread, object, klass, size); });
}

void JNICALL MonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  notify(JVMTI_EVENT_MONITOR_CONTENDED_ENTER, "MonitorContendedEnter",
         [&](VmListener& to) { to.monitor_contended_enter(jni, thread, object); });
}

void JNICALL MonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject) {
  notify(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, "MonitorContendedEntered",
         [&](VmListener& to) { to.monitor_contended_entered(jni, thread); });
}

void JNICALL MonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object, jlong) {
  notify(JVMTI_EVENT_MONITOR_WAIT, "MonitorWait",
         [&](VmListener& to) { to.monitor_wait(jni, thread, object); });
}

void JNICALL MonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jboolean) {
  notify(JVMTI_EVENT_MONITOR_WAITED, "MonitorWaited",
         [&](VmListener& to) { to.monitor_waited(jni, thread); });
}

void JNICALL GarbageCollectionFinish(jvmtiEnv*) {
  notify(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, "GarbageCollectionFinish",
         [](VmListener& to) { to.garbage_collection_finish(); });
}

void JNICALL ResourceExhausted(jvmtiEnv*, JNIEnv*, jint flags, const void*, const char*) {
  notify(JVMTI_EVENT_RESOURCE_EXHAUSTED, "ResourceExhausted",
         [&](VmListener& to) { to.resource_exhausted(flags); });
}

void JNICALL DataDumpRequest(jvmtiEnv*) {
  notify(JVMTI_EVENT_DATA_DUMP_REQUEST, "DataDumpRequest",
         [](VmListener& to) { to.data_dump_request(); });
}

}  // namespace

void listen_to(jvmtiEvent event, VmListener& listener) {
  listener_of(event).store(&listener, std::memory_order_release);
}

jvmtiError set_event_callbacks(jvmtiEnv* jvmti) {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = VMInit;
  callbacks.VMDeath = VMDeath;
  callbacks.ThreadStart = ThreadStart;
  callbacks.ThreadEnd = ThreadEnd;
  callbacks.SampledObjectAlloc = SampledObjectAlloc;
  callbacks.GarbageCollectionFinish = GarbageCollectionFinish;
  callbacks.MonitorContendedEnter = MonitorContendedEnter;
  callbacks.MonitorContendedEntered = MonitorContendedEntered;
  callbacks.MonitorWait = MonitorWait;
  callbacks.MonitorWaited = MonitorWaited;
  callbacks.ResourceExhausted = ResourceExhausted;
  callbacks.DataDumpRequest = DataDumpRequest;
  return jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
}

}  // namespace ddm
