// Text and bytes across JNI. From threads that are attached to the VM.
#pragma once

#include <jni.h>

#include <optional>
#include <string>
#include <string_view>

namespace ddm {

// As modified UTF-8. Empty: null, or no memory for the copy; no exception is left pending.
std::string java_text(JNIEnv* jni, jstring text);

// What a method without arguments returns, a String. None: null, or it cannot be called.
std::optional<std::string> java_text_from(JNIEnv* jni, jobject object, const char* method);

// Null with a pending exception: no memory on the Java heap.
jbyteArray java_bytes(JNIEnv* jni, std::string_view bytes);

}  // namespace ddm
