#include "vm/jdwp_agent.h"

#include <link.h>

#include <string_view>
#include <utility>

#include "vm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kLocalRefs = 8;

std::function<void()> g_ready;

void JNICALL VMInitOfAll(jvmtiEnv* jvmti, JNIEnv*, jthread) {
  jvmti->SetEventNotificationMode(JVMTI_DISABLE, JVMTI_EVENT_VM_INIT, nullptr);
  g_ready();
}

}  // namespace

// Environments are told in the order in which they were made, and this one is the newest.
bool after_vm_init_of_all(JavaVM* vm, std::function<void()> ready) {
  void* environment = nullptr;
  if (vm->GetEnv(&environment, JVMTI_VERSION_11) != JNI_OK) return false;
  auto* const jvmti = static_cast<jvmtiEnv*>(environment);
  g_ready = std::move(ready);
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = VMInitOfAll;
  if (jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE &&
      jvmti->SetEventNotificationMode(JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, nullptr) ==
          JVMTI_ERROR_NONE) {
    return true;
  }
  jvmti->DisposeEnvironment();
  return false;
}

bool has_jdwp_agent() {
  const auto is_it = [](dl_phdr_info* library, std::size_t, void*) -> int {
    return std::string_view(library->dlpi_name).ends_with("/libjdwp.so") ? 1 : 0;
  };
  return dl_iterate_phdr(is_it, nullptr) != 0;
}

// It leaves its address among the VM's agent properties, which tools like jcmd read.
std::string jdwp_listener(JNIEnv* jni) {
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return "";
  const jclass support = jni->FindClass("jdk/internal/vm/VMSupport");
  if (clear_exception(jni) || support == nullptr) return "";
  const jmethodID get_all =
      jni->GetStaticMethodID(support, "getAgentProperties", "()Ljava/util/Properties;");
  if (clear_exception(jni) || get_all == nullptr) return "";
  const jobject properties = jni->CallStaticObjectMethod(support, get_all);
  if (clear_exception(jni) || properties == nullptr) return "";
  const jmethodID get = jni->GetMethodID(jni->GetObjectClass(properties), "getProperty",
                                         "(Ljava/lang/String;)Ljava/lang/String;");
  if (clear_exception(jni) || get == nullptr) return "";
  const jstring name = jni->NewStringUTF("sun.jdwp.listenerAddress");
  if (clear_exception(jni) || name == nullptr) return "";
  const auto value = static_cast<jstring>(jni->CallObjectMethod(properties, get, name));
  if (clear_exception(jni) || value == nullptr) return "";
  const char* text = jni->GetStringUTFChars(value, nullptr);
  if (text == nullptr) return "";
  std::string result(text);
  jni->ReleaseStringUTFChars(value, text);
  return result;
}

}  // namespace ddm
