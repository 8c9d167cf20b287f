#include "jvm/vm_threads.h"

#include "jvm/jvmti_memory.h"

namespace ddm {

std::optional<VmThreads> VmThreads::create(JNIEnv* jni, jobject current) {
  constexpr std::uintptr_t kMostOffset = 1 << 16;
  const LocalRef<jclass> thread_class(jni, jni->FindClass("java/lang/Thread"));
  if (clear_exception(jni) || !thread_class) return std::nullopt;
  const jfieldID eetop = jni->GetFieldID(thread_class.get(), "eetop", "J");
  if (clear_exception(jni) || eetop == nullptr) return std::nullopt;
  const auto thread = static_cast<std::uintptr_t>(jni->GetLongField(current, eetop));
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(jni) - thread;
  if (thread == 0 || offset == 0 || offset > kMostOffset) return std::nullopt;
  return VmThreads(eetop, offset);
}

}  // namespace ddm
