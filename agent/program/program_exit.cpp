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

// java.lang.System.exit(status), or Runtime.halt(status) without hooks.
void call_exit(JNIEnv* jni, jint status, bool halt) {
  const LocalRef<jclass> runtime_class(jni, jni->FindClass("java/lang/Runtime"));
  if (clear_exception(jni) || !runtime_class) return;
  const jmethodID get =
      jni->GetStaticMethodID(runtime_class.get(), "getRuntime", "()Ljava/lang/Runtime;");
  const jmethodID end = get == nullptr
                            ? nullptr
                            : jni->GetMethodID(runtime_class.get(), halt ? "halt" : "exit", "(I)V");
  if (clear_exception(jni) || end == nullptr) return;
  const LocalRef<jobject> runtime(jni, jni->CallStaticObjectMethod(runtime_class.get(), get));
  if (clear_exception(jni) || !runtime) return;
  jni->CallVoidMethod(runtime.get(), end, status);
  if (clear_exception(jni)) log_error("the program has refused to exit with status {}", status);
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
  call_exit(static_cast<JNIEnv*>(jni), status, halt);
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
