// Text and bytes across JNI. From threads that are attached to the VM.
#pragma once

#include <jni.h>

#include <string>
#include <string_view>

namespace ddm {

// As modified UTF-8. Empty: null, or no memory for the copy; no exception is left pending.
std::string java_text(JNIEnv* jni, jstring text);

// Null with a pending exception: no memory on the Java heap.
jbyteArray java_bytes(JNIEnv* jni, std::string_view bytes);

}  // namespace ddm
