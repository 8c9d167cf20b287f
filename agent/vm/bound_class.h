// A class of our own in java.base whose natives are bound before any code can call them: left to the
// VM, they would be looked up by Java code, which may be rewritten itself.
//
// RegisterNatives on a class of java.base prints a warning on stdout unless it is called from java.base
// (jni.cpp). So a method link() of the class is called, which links a second class, in whose
// ClassPrepare event the natives are registered.
#pragma once

#include <jvmti.h>

#include <cstddef>
#include <span>
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

  // "" or what went wrong; once is enough. The ClassPrepare event must be on and lead to prepared()
  // (ClassHooks::define()).
  std::string define(JNIEnv* jni);

  // The ClassPrepare event, of any class, on the thread that links it.
  static void prepared(JNIEnv* jni, jclass klass);

  jclass get() const { return class_; }  // null before define()
  jclass link() const { return link_; }  // the second class; likewise

 private:
  void bind(JNIEnv* jni, jclass klass);

  const File file_, link_file_;
  const std::vector<JNINativeMethod> natives_;
  jclass class_ = nullptr;  // global references, never given back
  jclass link_ = nullptr;
  bool bound_ = false;
};

inline JNINativeMethod native_method(const char* name, const char* signature, void* function) {
  return {const_cast<char*>(name), const_cast<char*>(signature), function};
}

}  // namespace ddm
