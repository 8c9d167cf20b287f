// Classes of the agent in java.base, defined with JNI DefineClass: visible everywhere, without a
// jar or a flag.
#pragma once

#include <jni.h>

#include <cstddef>

#include "vm/jvmti_memory.h"
#include "vm/vm_library.h"

namespace ddm {

// Returns a global reference that is never deleted: the class lives as long as the VM. Null: the VM
// refused. Attached threads.
inline jclass define_boot_class(JNIEnv* jni, const char* name, const unsigned char* bytes,
                                std::size_t size) {
  const LocalRef<jclass> defined(
      jni, jni->DefineClass(name, nullptr, reinterpret_cast<const jbyte*>(bytes),
                            static_cast<jsize>(size)));
  if (clear_exception(jni) || !defined) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(defined.get()));
}

// A class that this VM may lack: a local reference, or null. Runs no Java code, so a debugger that
// breaks on exceptions sees none: JNI's FindClass calls the application's class loader, in Java, which
// throws if the class is missing. Leaves no exception pending.
inline jclass find_boot_class(JNIEnv* jni, const char* name) {
  using Find = jclass(JNICALL*)(JNIEnv*, const char*);
  static const auto find =
      reinterpret_cast<Find>(vm_library::symbol("JVM_FindClassFromBootLoader"));
  const jclass found = find != nullptr ? find(jni, name) : jni->FindClass(name);
  return clear_exception(jni) ? nullptr : found;
}

// Any class, as a global reference. Null: not found.
inline jclass global_class(JNIEnv* jni, const char* name) {
  const LocalRef<jclass> found(jni, jni->FindClass(name));
  if (clear_exception(jni) || !found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

}  // namespace ddm
