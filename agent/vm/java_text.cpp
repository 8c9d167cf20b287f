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

jbyteArray java_bytes(JNIEnv* jni, std::string_view bytes) {
  const auto size = static_cast<jsize>(bytes.size());
  const jbyteArray array = jni->NewByteArray(size);
  if (array != nullptr) {
    jni->SetByteArrayRegion(array, 0, size, reinterpret_cast<const jbyte*>(bytes.data()));
  }
  return array;
}

}  // namespace ddm
