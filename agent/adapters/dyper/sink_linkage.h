// Whether code of a class can call a static method: what the VM would look at when it links that
// call, looked at before. A call that does not link throws in the middle of the program.
//
// The method's class is looked for among those that the loader of the calling class has loaded.
// Only loaders of the JDK's classes are asked for more, and link it; it is never initialised. One of
// the program's may hang, and the program with it, since the VM locks it. On LinkThread's thread:
// the JDK's may have to wait for a network.
#pragma once

#include <jvmti.h>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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
  std::optional<Refusal> refusal(jclass caller, const bci::HookMethod& sink);

 private:
  struct Method {
    jclass owner;
    jint modifiers;
  };
  // Null: it finds none of that name. A local reference, as all here.
  jclass find(const std::string& internal_name, jobject loader);
  jclass find_loaded(const std::string& internal_name, jobject loader);
  bool is_of_jdk(jobject loader) const;
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
            is_exported_ = nullptr, is_named_ = nullptr, parent_ = nullptr,
            system_loader_ = nullptr;
};

// The part of a plan that is about these loaded classes ("a.B") and whose calls link there; the
// rest is told as errors.
struct LinkedPlan {
  using ByLoader = std::function<bool(JNIEnv*, std::string_view internal_name, jobject loader)>;
  bci::PatchPlan plan;
  // Of classes that come later, from loaders that were not asked: they have no patches that call
  // the program's own methods.
  ByLoader by_loader;
};
LinkedPlan linked_plan(jvmtiEnv* jvmti, JNIEnv* jni, const bci::PatchPlan& plan,
                       const std::set<std::string>& classes, std::vector<DyperError>& errors);

// Whether a plan calls methods that are not the agent's, and what of it does not.
bool calls_the_program(const bci::PatchPlan& plan);
bci::PatchPlan without_calls_of_the_program(const bci::PatchPlan& plan);
// Each of these calls, from each of the classes, as an error.
void tell_left_out(const bci::PatchPlan& plan, const std::set<std::string>& classes,
                   const std::string& why, std::vector<DyperError>& errors);

}  // namespace ddm
