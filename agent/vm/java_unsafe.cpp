#include "vm/java_unsafe.h"

#include "vm/jvmti_memory.h"

namespace ddm {

std::string JavaUnsafe::open(JNIEnv* jni) {
  const auto done = [jni](const char* what) {
    clear_exception(jni);
    return std::string(what);
  };
  const jclass type = jni->FindClass("jdk/internal/misc/Unsafe");
  if (type == nullptr) return done("no jdk.internal.misc.Unsafe");
  const jmethodID get = jni->GetStaticMethodID(type, "getUnsafe", "()Ljdk/internal/misc/Unsafe;");
  get_long_ = get ? jni->GetMethodID(type, "getLong", "(Ljava/lang/Object;J)J") : nullptr;
  field_offset_ = get_long_ ? jni->GetMethodID(type, "objectFieldOffset",
                                               "(Ljava/lang/Class;Ljava/lang/String;)J")
                            : nullptr;
  if (field_offset_ == nullptr) return done("no Unsafe.getLong or objectFieldOffset");
  const jobject unsafe = jni->CallStaticObjectMethod(type, get);
  if (clear_exception(jni) || unsafe == nullptr) return done("no Unsafe");
  unsafe_ = jni->NewGlobalRef(unsafe);
  return unsafe_ != nullptr ? "" : done("no memory for references");
}

std::uint64_t JavaUnsafe::word_of(JNIEnv* jni, jobject object, std::uint32_t offset) const {
  const jlong word = jni->CallLongMethod(unsafe_, get_long_, object, static_cast<jlong>(offset));
  return clear_exception(jni) ? 0 : static_cast<std::uint64_t>(word);
}

std::optional<std::uint32_t> JavaUnsafe::field_offset(JNIEnv* jni, jclass type,
                                                      const char* name) const {
  constexpr jlong kMost = 256;  // no class that the agent asks for has more fields
  const LocalRef<jstring> text(jni, jni->NewStringUTF(name));
  if (clear_exception(jni) || !text) return {};
  const jlong offset = jni->CallLongMethod(unsafe_, field_offset_, type, text.get());
  if (clear_exception(jni) || offset <= 0 || offset >= kMost) return {};
  return static_cast<std::uint32_t>(offset);
}

}  // namespace ddm
