#include "program/program_exit.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "core/log.h"
#include "core/native_thread.h"
#include "vm/jvmti_memory.h"
#include "vm/own_threads.h"

namespace ddm {
namespace {

// Time for the program's shutdown hooks.
constexpr std::chrono::seconds kHookTime{5};

// Calls Runtime.exit(), or halt(), which ends the program without shutdown hooks. False: it has
// thrown.
bool call_exit(JNIEnv* jni, const char* method, jint status) {
  const LocalRef<jclass> type(jni, jni->FindClass("java/lang/Runtime"));
  const jmethodID get =
      !type ? nullptr : jni->GetStaticMethodID(type.get(), "getRuntime", "()Ljava/lang/Runtime;");
  const jmethodID call = get == nullptr ? nullptr : jni->GetMethodID(type.get(), method, "(I)V");
  if (clear_exception(jni) || call == nullptr) return false;
  const LocalRef<jobject> runtime(jni, jni->CallStaticObjectMethod(type.get(), get));
  if (clear_exception(jni) || !runtime) return false;
  jni->CallVoidMethod(runtime.get(), call, status);
  return !clear_exception(jni);
}

void attach_and_call_exit(JavaVM* vm, jint status, bool halt) {
  become_own_thread();  // attaching allocates Java objects
  char name[] = "ddmagent-exit";
  JavaVMAttachArgs arguments{JNI_VERSION_10, name, nullptr};
  void* jni = nullptr;
  if (vm->AttachCurrentThreadAsDaemon(&jni, &arguments) != JNI_OK) {
    log_error("the VM takes no thread to exit on");
    return;
  }
  if (!call_exit(static_cast<JNIEnv*>(jni), halt ? "halt" : "exit", status)) {
    log_error("the program has refused to exit with status {}", status);
  }
  vm->DetachCurrentThread();
}

}  // namespace

void exit_program(JavaVM* vm, jint status) {
  static std::atomic<bool> begun{false};
  if (begun.exchange(true)) return;
  // Both threads end with the process, so the second one wakes up only if exit() hangs.
  std::thread exit =
      start_native_thread("ddm-exit", [=] { attach_and_call_exit(vm, status, false); });
  std::thread halt = start_native_thread("ddm-halt", [=] {
    std::this_thread::sleep_for(kHookTime);
    attach_and_call_exit(vm, status, true);
  });
  if (exit.joinable()) exit.detach();
  if (halt.joinable()) halt.detach();
}

}  // namespace ddm
