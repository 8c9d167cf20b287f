// A class of the agent in java.base whose natives are bound before any code can call them: lazy
// binding by the VM runs Java code, which may be rewritten itself.
//
// RegisterNatives on a class of java.base prints a warning on stdout unless a class of java.base
// calls it (jni.cpp). Therefore define() calls the class's method link(), which links a second
// class, and the natives are registered in the ClassPrepare event of that class.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ddm {

class BoundClass {
 public:
  struct File {
    const char* name;  // "java/lang/DdmTrackerCalls"
    const unsigned char* bytes;
    std::size_t size;
  };
  // `link`: the second class.
  BoundClass(File file, File link, std::vector<JNINativeMethod> natives)
      : file_(file), link_file_(link), natives_(std::move(natives)) {}

  // Returns "" or the error; a repeated call does nothing. ClassPrepare must be enabled and routed
  // to prepared() (ClassHooks::define()).
  std::string define(JNIEnv* jni);

  // Call in every ClassPrepare event, on the thread that links the class.
  static void prepared(JNIEnv* jni, jclass klass);

  jclass get() const { return class_; }  // null before define()
  jclass link() const { return link_; }  // the second class; null before define()

 private:
  void bind(JNIEnv* jni, jclass klass);
  void register_natives(JNIEnv* jni);

  const File file_, link_file_;
  const std::vector<JNINativeMethod> natives_;
  jclass class_ = nullptr;  // global references, never deleted
  jclass link_ = nullptr;
  bool bound_ = false;
};

inline JNINativeMethod native_method(const char* name, const char* signature, void* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

}  // namespace ddm
