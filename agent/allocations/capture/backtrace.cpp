#include "allocations/capture/backtrace.h"

#include "vm/boot_class.h"
#include "vm/jvmti_memory.h"

namespace ddm {

void Backtrace::find_fields(JNIEnv* jni) {
  const LocalRef<jclass> throwable(jni, jni->FindClass("java/lang/Throwable"));
  object_array_ = global_class(jni, "[Ljava/lang/Object;");
  short_array_ = global_class(jni, "[S");
  if (clear_exception(jni) || !throwable || object_array_ == nullptr || short_array_ == nullptr) {
    return;
  }
  const jfieldID field = jni->GetFieldID(throwable.get(), "backtrace", "Ljava/lang/Object;");
  if (!clear_exception(jni)) backtrace_ = field;
}

jobject Backtrace::next_chunk(JNIEnv* jni, jobjectArray chunk, jsize length) const {
  for (jsize i = kArraysOfChunk; i < length; ++i) {
    jobject candidate = jni->GetObjectArrayElement(chunk, i);
    if (candidate == nullptr) continue;
    if (jni->IsInstanceOf(candidate, object_array_) &&
        jni->GetArrayLength(static_cast<jarray>(candidate)) == length) {
      const LocalRef<jobject> first(
          jni, jni->GetObjectArrayElement(static_cast<jobjectArray>(candidate), 0));
      if (first && jni->IsInstanceOf(first.get(), short_array_)) return candidate;
    }
    jni->DeleteLocalRef(candidate);
  }
  return nullptr;
}

}  // namespace ddm
