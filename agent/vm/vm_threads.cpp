#include "vm/vm_threads.h"

#include "vm/jvmti_memory.h"
#include "vm/thread_fields.h"

namespace ddm {

std::uintptr_t VmThreads::current(jvmtiEnv* jvmti, JNIEnv* jni) {
  LocalRef<jthread> thread(jni, nullptr);
  if (jvmti->GetCurrentThread(thread.out()) != JVMTI_ERROR_NONE || !thread) return 0;
  const auto threads = create(jni, thread.get());
  return threads ? threads->of(jni) : 0;
}

std::optional<VmThreads> VmThreads::create(JNIEnv* jni, jobject current) {
  constexpr std::uintptr_t kMostOffset = 1 << 16;
  const jfieldID eetop = thread_field(jni, "eetop", "J");
  if (eetop == nullptr) return std::nullopt;
  const auto thread = static_cast<std::uintptr_t>(jni->GetLongField(current, eetop));
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(jni) - thread;
  if (thread == 0 || offset == 0 || offset > kMostOffset) return std::nullopt;
  return VmThreads(eetop, offset);
}

}  // namespace ddm
