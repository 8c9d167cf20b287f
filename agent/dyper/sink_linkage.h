// Whether code of a class can call a static method: what the VM would look at when it links that
// call, looked at before. A call that does not link throws in the middle of the program.
//
// Finding the method's class may load it, by the loader of the calling class, as the call itself
// would; it is linked, and never initialised. On the thread that answers commands.
#pragma once

#include <jvmti.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "bci/patch/patch_plan.h"
#include "dyper/documents/request.h"
#include "patch/patches.h"

namespace ddm {

class SinkLinkage {
 public:
  SinkLinkage(jvmtiEnv* jvmti, JNIEnv* jni);

  struct Refusal {
    DyperErrorCode code;  // kNoClass, kVerify
    std::string words;    // "it is not static"
  };
  // Nothing: the call links. `caller` is a loaded class.
  std::optional<Refusal> refusal(jclass caller, const bci::HookMethod& sink);

 private:
  struct Method {
    jclass owner;
    jint modifiers;
  };
  // Null: it finds none of that name. A local reference, as all here.
  jclass find(const std::string& internal_name, jobject loader);
  jobject loader_of(jclass of) const;
  // "" or what the VM makes of it.
  std::string link(jclass of);
  bool may_use_class(jclass caller, jclass of, const std::string& internal_name);
  bool same_package(jclass one, jclass other) const;
  std::optional<Method> method_of(jclass of, const bci::HookMethod& sink) const;
  bool may_call(jclass caller, const Method& method) const;
  // The name of a type that both loaders find and that is not the same for them; "": there is none.
  std::string two_meanings(const std::string& descriptor, jobject one, jobject other);

  jvmtiEnv* const jvmti_;
  JNIEnv* const jni_;
  jclass class_ = nullptr, module_ = nullptr, loader_ = nullptr;
  jmethodID for_name_ = nullptr, constructors_ = nullptr, can_read_ = nullptr,
            is_exported_ = nullptr, is_named_ = nullptr, system_loader_ = nullptr;
};

// The part of a plan that is about these loaded classes ("a.B") and whose calls link there; the
// rest is told as errors.
struct LinkedPlan {
  bci::PatchPlan plan;
  // Classes that come later, from loaders that were not asked, have no patches that call the
  // program's own methods.
  Patches::MayHave may_have;
};
LinkedPlan linked_plan(jvmtiEnv* jvmti, JNIEnv* jni, const bci::PatchPlan& plan,
                       const std::set<std::string>& classes, std::vector<DyperError>& errors);

}  // namespace ddm
