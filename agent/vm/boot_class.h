// Classes of the agent in java.base, defined with JNI DefineClass: visible everywhere, without a
// jar or a flag. And look-ups of classes and of their members, which leave no exception pending.
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

// A field of instances; null, with no exception pending, if there is none of that name.
inline jfieldID find_field(JNIEnv* jni, const char* class_name, const char* name,
                           const char* signature) {
  const LocalRef<jclass> type(jni, jni->FindClass(class_name));
  const jfieldID field = !type ? nullptr : jni->GetFieldID(type.get(), name, signature);
  return clear_exception(jni) ? nullptr : field;
}

// What a static method without parameters returns: a local reference, or null, with no exception
// pending.
inline jobject static_object(JNIEnv* jni, const char* class_name, const char* method,
                             const char* signature) {
  const LocalRef<jclass> type(jni, jni->FindClass(class_name));
  const jmethodID get = !type ? nullptr : jni->GetStaticMethodID(type.get(), method, signature);
  const jobject object = get != nullptr ? jni->CallStaticObjectMethod(type.get(), get) : nullptr;
  return clear_exception(jni) ? nullptr : object;
}

// Any class, as a global reference. Null: not found.
inline jclass global_class(JNIEnv* jni, const char* name) {
  const LocalRef<jclass> found(jni, jni->FindClass(name));
  if (clear_exception(jni) || !found) return nullptr;
  return static_cast<jclass>(jni->NewGlobalRef(found.get()));
}

}  // namespace ddm
