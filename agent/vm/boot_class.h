// Classes of our own in java.base, defined with JNI: every class finds them, no jar, no flag.
#pragma once

#include <jni.h>

#include <cstddef>

#include "vm/jvmti_memory.h"

namespace ddm {

// A global reference, never given back: such a class is there as long as the VM. Null: the VM
// refused it. On an attached thread.
inline jclass define_boot_class(JNIEnv* jni, const char* name, const unsigned char* bytes,
                                std::size_t size) {
  const LocalRef<jclass> defined(
      jni, jni->DefineClass(name, nullptr, reinterpret_cast<const jbyte*>(bytes),
                            static_cast<jsize>(size)));
  if (clear_exception(jni) || !defined) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(defined.get()));
}

// One that this version of the VM may lack: a local reference, or null. No Java code runs for it, so
// that no debugger which stops at exceptions is shown one of ours. Leaves none pending.
jclass find_boot_class(JNIEnv* jni, const char* name);

// Any class, as a global reference. Null: there is none.
inline jclass global_class(JNIEnv* jni, const char* name) {
  const LocalRef<jclass> found(jni, jni->FindClass(name));
  if (clear_exception(jni) || !found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

}  // namespace ddm
