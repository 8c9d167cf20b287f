#include "vm/jdwp_agent.h"

#include <link.h>

#include <algorithm>
#include <string_view>

#include "vm/boot_class.h"
#include "vm/java_text.h"
#include "vm/jvmti_memory.h"

namespace ddm {

LibraryRange jdwp_library() {
  const auto find = [](dl_phdr_info* library, std::size_t, void* found) -> int {
    if (!std::string_view(library->dlpi_name).ends_with("/libjdwp.so")) return 0;
    auto& range = *static_cast<LibraryRange*>(found);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& segment = library->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD) continue;
      const std::uintptr_t begin = library->dlpi_addr + segment.p_vaddr;
      if (range.empty() || begin < range.begin) range.begin = begin;
      range.end = std::max(range.end, begin + segment.p_memsz);
    }
    return 1;
  };
  LibraryRange range;
  dl_iterate_phdr(find, &range);
  return range;
}

// The jdwp agent publishes its address in the VM's agent properties, which tools like jcmd read.
std::string jdwp_listener(JNIEnv* jni) {
  constexpr jint kLocalRefs = 8;
  const LocalFrame frame(jni, kLocalRefs);
  if (!frame.good()) return "";
  const jobject properties = static_object(jni, "jdk/internal/vm/VMSupport", "getAgentProperties",
                                           "()Ljava/util/Properties;");
  if (properties == nullptr) return "";
  const jmethodID get = jni->GetMethodID(jni->GetObjectClass(properties), "getProperty",
                                         "(Ljava/lang/String;)Ljava/lang/String;");
  if (clear_exception(jni) || get == nullptr) return "";
  const jstring name = jni->NewStringUTF("sun.jdwp.listenerAddress");
  if (clear_exception(jni) || name == nullptr) return "";
  const auto value = static_cast<jstring>(jni->CallObjectMethod(properties, get, name));
  if (clear_exception(jni) || value == nullptr) return "";
  return java_text(jni, value);
}

}  // namespace ddm
