// Patches in the classes of a running VM. They are installed and removed by retransformation, so a
// class has its original code again after removal, also if other agents retransformed it in
// between.
//
// Probes and DYPER's models are Patchers. All plans for a class are applied in one
// retransformation, each to the original code; removing is the same call with fewer plans. Threads:
// attached ones, outside of JVMTI callbacks.
#pragma once

#include <jni.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bci/patch/patch_class.h"
#include "probes/sinks_class.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

class Patcher : public ClassChange {
 public:
  // A plan to apply to a class, and the result of applying it.
  struct Part {
    std::shared_ptr<const bci::PatchPlan> plan;
    bci::PatchIds* ids;
    std::string whose = {};  // a tag of the patcher, not read here
    bci::PatchResult result = {};
  };

  // Whether the patcher may have plans for the class; asked before its class file is parsed.
  virtual bool may_want(std::string_view internal_name, bool is_platform) = 0;
  // All plans that the class is to have from now on.
  virtual std::vector<Part> parts(JNIEnv* jni, const LoadingClass& loading,
                                  bci::ByteSpan class_file) = 0;
  // The plans were applied. `class_file`: the class without them.
  virtual void patched(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan class_file,
                       const std::vector<Part>& parts) = 0;
};

class Patches final : private ClassRewriting {
 public:
  explicit Patches(SinksClass& sinks) : sinks_(sinks) {}

  SinksClass& sinks() { return sinks_; }
  // Null: this VM allows no further retransforming agent; `error` says why.
  ClassHooks* hooks(JNIEnv* jni, std::string& error);

  // Registers the patcher; a repeated call does nothing. Returns "" or the error.
  std::string add(JNIEnv* jni, Patcher& patcher);
  void remove(Patcher& patcher);
  // Retransforms all loaded classes that need a change for this patcher, or those that `needs`
  // selects. Active frames of changed methods continue in the old version.
  void bring_up_to_date(JNIEnv* jni, Patcher& patcher, ClassHooks::Needs needs = nullptr);

 private:
  using Patchers = std::vector<Patcher*>;
  std::shared_ptr<const Patchers> patchers() const;
  std::string change(Patchers patchers);

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

  SinksClass& sinks_;
  mutable std::mutex mutex_;     // guards what follows
  ClassHooks* hooks_ = nullptr;  // null until first needed
  std::shared_ptr<const Patchers> patchers_ = std::make_shared<Patchers>();
};

}  // namespace ddm
