// The arrays in which the VM stores the stack trace of a new Throwable: most of the bytes of an
// exception, allocated in native code without a hook.
//
// Throwable.backtrace, made by Throwable.fillInStackTrace(int) (javaClasses.cpp, BacktraceBuilder):
//
//   Object[n] { short[32] methods, int[32] bcis, Object[32] mirrors, long[32] names,
//               next chunk of the same shape (or null), ... }
//
// A chunk holds 32 frames. The index of the next chunk differs between releases: it is recognized
// by its shape. Attached threads.
#pragma once

#include <jni.h>

namespace ddm {

class Backtrace {
 public:
  // Call once, before other methods. Without the fields for_each_array() does nothing.
  void find_fields(JNIEnv* jni);

  // Calls visit(jobject) for each chunk and each array in it.
  template <typename Visit>
  void for_each_array(JNIEnv* jni, jobject throwable, Visit visit) const;

 private:
  static constexpr jsize kArraysOfChunk = 4;

  // The chunk after `chunk`, or null. A new local reference.
  jobject next_chunk(JNIEnv* jni, jobjectArray chunk, jsize length) const;

  jfieldID backtrace_ = nullptr;
  jclass object_array_ = nullptr;  // global references, never deleted
  jclass short_array_ = nullptr;
};

template <typename Visit>
void Backtrace::for_each_array(JNIEnv* jni, jobject throwable, Visit visit) const {
  if (backtrace_ == nullptr || throwable == nullptr) return;
  jobject chunk = jni->GetObjectField(throwable, backtrace_);
  while (chunk != nullptr && jni->IsInstanceOf(chunk, object_array_)) {
    const auto array = static_cast<jobjectArray>(chunk);
    const jsize length = jni->GetArrayLength(array);
    visit(chunk);
    for (jsize i = 0; i < kArraysOfChunk && i < length; ++i) {
      const jobject part = jni->GetObjectArrayElement(array, i);
      if (part == nullptr) continue;
      visit(part);
      jni->DeleteLocalRef(part);
    }
    const jobject next = next_chunk(jni, array, length);
    jni->DeleteLocalRef(chunk);
    chunk = next;
  }
  if (chunk != nullptr) jni->DeleteLocalRef(chunk);
}

}  // namespace ddm
