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
  });
}

void JNICALL ThreadEnd(jvmtiEnv*, JNIEnv* jni, jthread thread) {
  guarded("ThreadEnd", [&] {
    if (Tracking* tracking = g_receiver->tracking()) tracking->thread_ending(jni, thread);
    if (ChunkHandlers* handlers = g_receiver->handlers()) handlers->thread_ending(jni, thread);
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

// Inside a GC pause: nothing of the VM may be touched.
void JNICALL GarbageCollectionFinish(jvmtiEnv*) { g_receiver->handlers()->gc_finished(); }

void JNICALL ResourceExhausted(jvmtiEnv*, JNIEnv*, jint flags, const void*, const char*) {
  guarded("ResourceExhausted", [&] { g_receiver->resource_exhausted(flags); });
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
  callbacks.ResourceExhausted = ResourceExhausted;
  return jvmti->SetEventCallbacks(&callbacks, sizeof callbacks);
}

}  // namespace ddm
