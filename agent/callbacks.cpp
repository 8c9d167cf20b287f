#include "callbacks.h"

#include <exception>

#include "agent.h"
#include "log.h"

namespace ddm {
namespace {

Agent* g_receiver = nullptr;

// No exception may cross into the VM.
template <typename Work>
void guarded(const char* event, Work work) noexcept {
  try {
    work();
  } catch (const std::exception& failure) {
    log_error("in {}: {}", event, failure.what());
  }
}

void JNICALL VMInit(jvmtiEnv*, JNIEnv* jni, jthread) {
  guarded("VMInit", [&] { g_receiver->vm_init(jni); });
}

void JNICALL VMDeath(jvmtiEnv*, JNIEnv* jni) {
  guarded("VMDeath", [&] { g_receiver->vm_death(jni); });
}

void JNICALL ThreadStart(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  guarded("ThreadStart", [&] {
    if (Tracking* tracking = g_receiver->tracking()) tracking->thread_started(jni, thread);
    if (ChunkHandlers* handlers = g_receiver->handlers()) handlers->thread_started(jni, thread);
    if (HprofSession* hprof = g_receiver->hprof()) hprof->threads().started(jni, thread);
    g_receiver->sampler().threads_changed();
  });
}

void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  guarded("ThreadEnd", [&] {
    if (Tracking* tracking = g_receiver->tracking()) tracking->thread_ending(jni, thread);
    if (ChunkHandlers* handlers = g_receiver->handlers()) handlers->thread_ending(jni, thread);
    if (HprofSession* hprof = g_receiver->hprof()) hprof->threads().ended(jni, thread);
    g_receiver->sampler().threads_changed();
  });
}

void JNICALL SampledObjectAlloc(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object,
                                jclass klass, jlong size) {
  if (Tracking* tracking = g_receiver->tracking()) {
    tracking->sampled_object_alloc(jni, thread, object, klass, size);
  }
}

void JNICALL ClassFileLoadHook(jvmtiEnv*, JNIEnv*, jclass being_redefined, jobject loader,
                               const char* name, jobject, jint length, const unsigned char* bytes,
                               jint* new_length, unsigned char** new_bytes) {
  guarded("ClassFileLoadHook", [&] {
    if (Tracking* tracking = g_receiver->tracking()) {
      tracking->bci_engine().class_file_load_hook(being_redefined, loader, name, length, bytes,
                                                  new_length, new_bytes);
    }
  });
}

void JNICALL ClassPrepare(jvmtiEnv*, JNIEnv* jni, jthread, jclass klass) {
  guarded("ClassPrepare", [&] {
    if (Tracking* tracking = g_receiver->tracking()) {
      tracking->bci_engine().class_prepared(jni, klass);
    }
  });
}

void JNICALL MonitorContendedEnter(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object) {
  g_receiver->monitors().begins(jni, MonitorKind::kEnter, thread, object);
}

void JNICALL MonitorContendedEntered(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject) {
  g_receiver->monitors().ends(jni, MonitorKind::kEnter, thread);
}

void JNICALL MonitorWait(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject object, jlong) {
  g_receiver->monitors().begins(jni, MonitorKind::kWait, thread, object);
}

void JNICALL MonitorWaited(jvmtiEnv*, JNIEnv* jni, jthread thread, jobject, jboolean) {
  g_receiver->monitors().ends(jni, MonitorKind::kWait, thread);
}

// Inside a GC pause: nothing of the VM may be touched.
void JNICALL GarbageCollectionFinish(jvmtiEnv*) { g_receiver->handlers()->gc_finished(); }

void JNICALL ResourceExhausted(jvmtiEnv*, JNIEnv*, jint flags, const void*, const char*) {
  guarded("ResourceExhausted", [&] { g_receiver->resource_exhausted(flags); });
}

void JNICALL DataDumpRequest(jvmtiEnv*) {
  guarded("DataDumpRequest", [&] {
    if (HprofSession* hprof = g_receiver->hprof()) hprof->dump_requested();
  });
}

}  // namespace

jvmtiError set_callbacks(jvmtiEnv* jvmti, Agent* agent) {
  g_receiver = agent;
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = VMInit;
  callbacks.VMDeath = VMDeath;
  callbacks.ThreadStart = ThreadStart;
  callbacks.ThreadEnd = ThreadEnd;
  callbacks.SampledObjectAlloc = SampledObjectAlloc;
  callbacks.ClassFileLoadHook = ClassFileLoadHook;
  callbacks.ClassPrepare = ClassPrepare;
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
