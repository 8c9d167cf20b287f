#include "vm/vm_events.h"

#include <array>
#include <atomic>

#include "core/log.h"

namespace ddm {
namespace {

constexpr int kEvents = JVMTI_MAX_EVENT_TYPE_VAL - JVMTI_MIN_EVENT_TYPE_VAL + 1;

// JVMTI callbacks have no user-data argument, so the table is per process.
std::array<std::atomic<VmListener*>, kEvents> g_listeners{};

std::atomic<VmListener*>& listener_of(jvmtiEvent event) {
  return g_listeners[static_cast<std::size_t>(event - JVMTI_MIN_EVENT_TYPE_VAL)];
}

template <auto Method, typename... Arguments>
void notify(jvmtiEvent event, const char* name, Arguments... arguments) noexcept {
  VmListener* const listener = listener_of(event).load(std::memory_order_acquire);
  if (listener == nullptr) return;
  guarded(name, [&] { (listener->*Method)(arguments...); });
}

void JNICALL VMInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  notify<&VmListener::vm_init>(JVMTI_EVENT_VM_INIT, "VMInit", jni);
}

void JNICALL VMDeath(jvmtiEnv*, JNIEnv* jni) {
  notify<&VmListener::vm_death>(JVMTI_EVENT_VM_DEATH, "VMDeath", jni);
}

void JNICALL ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  notify<&VmListener::thread_start>(JVMTI_EVENT_THREAD_START, "ThreadStart", jni, thread);
}

void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  notify<&VmListener::thread_end>(JVMTI_EVENT_THREAD_END, "ThreadEnd", jni, thread);
}

void JNICALL SampledObjectAlloc(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                jclass klass, jlong size) {
  notify<&VmListener::sampled_object_alloc>(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, "SampledObjectAlloc",
                                            jni, thread, object, klass, size);
}

void JNICALL MonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  notify<&VmListener::monitor_contended_enter>(JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
                                               "MonitorContendedEnter", jni, thread, object);
}

void JNICALL MonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject) {
  notify<&VmListener::monitor_contended_entered>(JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
                                                 "MonitorContendedEntered", jni, thread);
}

void JNICALL MonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object, jlong) {
  notify<&VmListener::monitor_wait>(JVMTI_EVENT_MONITOR_WAIT, "MonitorWait", jni, thread, object);
}

void JNICALL MonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jboolean) {
  notify<&VmListener::monitor_waited>(JVMTI_EVENT_MONITOR_WAITED, "MonitorWaited", jni, thread);
}

void JNICALL GarbageCollectionFinish(jvmtiEnv*) {
  notify<&VmListener::garbage_collection_finish>(JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
                                                 "GarbageCollectionFinish");
}

void JNICALL ResourceExhausted(jvmtiEnv*, JNIEnv*, jint flags, const void*,
                               const char* description) {
  notify<&VmListener::resource_exhausted>(JVMTI_EVENT_RESOURCE_EXHAUSTED, "ResourceExhausted",
                                          flags, description);
}

void JNICALL DataDumpRequest(jvmtiEnv*) {
  notify<&VmListener::data_dump_request>(JVMTI_EVENT_DATA_DUMP_REQUEST, "DataDumpRequest");
}

void JNICALL NativeMethodBind(jvmtiEnv*, JNIEnv*, jthread, jmethodID method, void*, void**) {
  notify<&VmListener::native_method_bind>(JVMTI_EVENT_NATIVE_METHOD_BIND, "NativeMethodBind",
                                          method);
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
  callbacks.NativeMethodBind = NativeMethodBind;
  return jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
}

}  // namespace ddm
