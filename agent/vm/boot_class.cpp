#include "vm/boot_class.h"

#include "vm/vm_library.h"

namespace ddm {

// JNI's FindClass calls the application's class loader, in Java, which throws if the class is
// missing.
jclass find_boot_class(JNIEnv* jni, const char* name) {
  using Find = jclass(JNICALL*)(JNIEnv*, const char*);
  static const auto find =
      reinterpret_cast<Find>(vm_library::symbol("JVM_FindClassFromBootLoader"));
  const jclass found = find != nullptr ? find(jni, name) : jni->FindClass(name);
  return clear_exception(jni) ? nullptr : found;
}

}  // namespace ddm
