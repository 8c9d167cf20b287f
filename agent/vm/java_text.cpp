#include "vm/java_text.h"

#include "vm/jvmti_memory.h"

namespace ddm {

std::string java_text(JNIEnv* jni, jstring text) {
  if (text == nullptr) return "";
  const char* const characters = jni->GetStringUTFChars(text, nullptr);
  if (characters == nullptr) {
    clear_exception(jni);
    return "";
  }
  std::string result = characters;
  jni->ReleaseStringUTFChars(text, characters);
  return result;
}

std::optional<std::string> java_text_from(JNIEnv* jni, jobject object, const char* method) {
  const LocalRef<jclass> type(jni, jni->GetObjectClass(object));
  const jmethodID get = jni->GetMethodID(type.get(), method, "()Ljava/lang/String;");
  const LocalRef<jstring> text(
      jni, get == nullptr ? nullptr : static_cast<jstring>(jni->CallObjectMethod(object, get)));
  if (clear_exception(jni) || !text) return std::nullopt;
  return java_text(jni, text.get());
}

jbyteArray java_bytes(JNIEnv* jni, std::string_view bytes) {
  const auto size = static_cast<jsize>(bytes.size());
  const jbyteArray array = jni->NewByteArray(size);
  if (array != nullptr) {
    jni->SetByteArrayRegion(array, 0, size, reinterpret_cast<const jbyte*>(bytes.data()));
  }
  return array;
}

}  // namespace ddm
