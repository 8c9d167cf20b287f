// jdk.internal.misc.Unsafe: field offsets, and words of objects read by Java code, where no
// collector can move the object meanwhile. Any attached thread; open() runs Java code.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ddm {

class JavaUnsafe {
 public:
  // Creates local references. "" or what is missing.
  std::string open(JNIEnv* jni);

  // The Unsafe instance.
  jobject object() const { return unsafe_; }

  // 0 after a Java exception.
  std::uint64_t word_of(JNIEnv* jni, jobject object, std::uint32_t offset) const;
  // nullopt: the class has no such field.
  std::optional<std::uint32_t> field_offset(JNIEnv* jni, jclass type, const char* name) const;

 private:
  jobject unsafe_ = nullptr;  // global reference
  jmethodID get_long_ = nullptr;
  jmethodID field_offset_ = nullptr;
};

}  // namespace ddm
