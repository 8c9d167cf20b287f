// Values as text, without running any of the program's code: no toString(), no hashCode(). Any
// attached thread.
#pragma once

#include <jvmti.h>

#include <array>
#include <cstdint>
#include <string>

namespace ddm {

class ObjectText {
 public:
  static constexpr std::size_t kMost = 255;  // characters of one value

  // Looks up the classes and fields that text_of() reads; "" or the error.
  std::string open(jvmtiEnv* jvmti, JNIEnv* jni);

  // null, a String's text, a number in its box, an enum constant's name, "a.B: message" of a
  // Throwable, else "a.B@" and the identity hash in hex.
  std::string text_of(JNIEnv* jni, jobject object) const;

 private:
  struct Box {
    jclass type = nullptr;  // a global reference
    jfieldID value = nullptr;
  };
  std::string string_text(JNIEnv* jni, jstring text) const;
  std::string field_text(JNIEnv* jni, jobject object, jfieldID field) const;

  jvmtiEnv* jvmti_ = nullptr;
  jclass string_ = nullptr, enum_ = nullptr, throwable_ = nullptr;  // global references
  jfieldID enum_name_ = nullptr, message_ = nullptr;
  std::array<Box, 8> boxes_;  // as in kBoxes
};

// `kind`: a descriptor's letter, for boolean, char and float.
std::string text_of_whole(std::int64_t value, char kind);
std::string text_of_real(double value, char kind);

}  // namespace ddm
