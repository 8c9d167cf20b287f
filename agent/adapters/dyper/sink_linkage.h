// Whether code of a class can call a static method: does in advance the checks that the VM does
// when it links the call. A call that does not link throws in the middle of the program.
//
// The method's class is searched among the classes that the calling class's loader has loaded. Only
// class loaders of the JDK are asked to load it, and it is then linked, never initialised. A loader
// of the program may hang, and block the program too, since the VM locks it. Runs on LinkThread's
// thread: a class loader of the JDK may wait for the network.
#pragma once

#include <jvmti.h>

#include <optional>
#include <string>

#include "adapters/dyper/documents/request.h"
#include "bci/patch/patch_plan.h"

namespace ddm {

class SinkLinkage {
 public:
  SinkLinkage(jvmtiEnv* jvmti, JNIEnv* jni);

  struct Refusal {
    DyperErrorCode code;  // kNoClass, kVerify
    std::string words;    // "it is not static"
  };
  // Nothing: the call links. `caller` is a loaded class.
  std::optional<Refusal> refusal(jclass caller, const bci::PatchCall& call);

 private:
  struct Method {
    jclass owner;
    jint modifiers;
  };
  // Null: the loader finds no class of that name. All references here are local.
  jclass find(const std::string& internal_name, jobject loader);
  jclass find_loaded(const std::string& internal_name, jobject loader);
  bool is_of_jdk(jobject loader) const;
  jobject loader_of(jclass of) const;
  // "" or the linkage error of the VM.
  std::string link(jclass of);
  bool may_use_class(jclass caller, jclass of, const std::string& internal_name);
  bool same_package(jclass one, jclass other) const;
  std::optional<Method> method_of(jclass of, const bci::HookMethod& sink) const;
  bool may_call(jclass caller, const Method& method) const;
  // The name of a type that the two loaders resolve to different classes; "": there is none.
  std::string two_meanings(const std::string& descriptor, jobject one, jobject other);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  jclass class_ = nullptr, module_ = nullptr, loader_ = nullptr;
  jmethodID for_name_ = nullptr, constructors_ = nullptr, can_read_ = nullptr,
            is_exported_ = nullptr, is_named_ = nullptr, parent_ = nullptr,
            system_loader_ = nullptr;
};

}  // namespace ddm
