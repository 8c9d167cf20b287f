// Values as text, without running any of the program's code: no toString(), no hashCode(). No class
// is loaded or initialized. Any attached thread.
#pragma once

#include <jvmti.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ddm {

class ObjectText {
 public:
  // Characters of one value that is shown to this depth.
  static constexpr std::size_t most(int depth) { return depth > 0 ? 4096 : 255; }

  // Looks up the classes and fields that text_of() reads; "" or the error.
  std::string open(jvmtiEnv* jvmti, JNIEnv* jni);

  // null, a String's text, a number in its box, an enum constant's name, "a.B: message" of a
  // Throwable, else "a.B@" and the identity hash in hex. With a depth the fields of such an object
  // follow, and of the objects in them down to that depth, 1 being the object itself:
  //
  //   a.B@1f{name="cup", sum=12, next=a.B@2e}   int[3]{1, 2, 3}
  //
  // Its own class's fields precede those of the superclass. An object within itself has none.
  std::string text_of(JNIEnv* jni, jobject object, int depth = 0) const;

 private:
  class Unfolding;
  struct Box {
    jclass type = nullptr;  // a global reference
    jfieldID value = nullptr;
  };
  // Of at most `most` characters; nullopt: an object that is shown by class and hash.
  std::optional<std::string> own_text(JNIEnv* jni, jobject object, jclass type,
                                      std::size_t most) const;
  std::string field_text(JNIEnv* jni, jobject object, jfieldID field, std::size_t most) const;
  std::string type_name(jclass type) const;
  std::string hashed(jobject object, jclass type) const;

  jvmtiEnv* jvmti_ = nullptr;
  jclass string_ = nullptr, enum_ = nullptr, throwable_ = nullptr;  // global references
  jfieldID enum_name_ = nullptr, message_ = nullptr;
  std::array<Box, 8> boxes_;  // as in kBoxes
};

// `kind`: a descriptor's letter, for boolean, char and float.
std::string text_of_whole(std::int64_t value, char kind);
std::string text_of_real(double value, char kind);

}  // namespace ddm
