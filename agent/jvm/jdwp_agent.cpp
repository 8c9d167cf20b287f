#include "jvm/jdwp_agent.h"

#include <link.h>

#include <string_view>

#include "jvm/jvmti_memory.h"

namespace ddm {
namespace {

constexpr jint kLocalRefs = 8;

}  // namespace

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
