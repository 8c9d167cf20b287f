// Patches in the classes of a running VM: put in and taken out by retransformation, so that what is
// left afterwards is the code as it was, also if another agent retransforms the classes meanwhile.
//
// Probes and DYPER's models are Patchers. All that is wanted of a class goes in at once, and no plan
// sees what another put in; taking out is wanting less.
// Attached threads; not from JVMTI events.
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
  // A plan for a class, and what became of it.
  struct Part {
    std::shared_ptr<const bci::PatchPlan> plan;
    bci::PatchIds* ids;
    std::string whose = {};  // the patcher's own word
    bci::PatchResult result = {};
  };

  // A class that comes, or that is changed by whomever.
  virtual bool may_want(std::string_view internal_name, bool is_platform) = 0;
  // What is to be in it from now on.
  virtual std::vector<Part> parts(JNIEnv* jni, const LoadingClass& loading,
                                  bci::ByteSpan class_file) = 0;
  // That is in it. `class_file`: without.
  virtual void patched(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan class_file,
                       const std::vector<Part>& parts) = 0;
};

class Patches final : private ClassRewriting {
 public:
  explicit Patches(SinksClass& sinks) : sinks_(sinks) {}

  SinksClass& sinks() { return sinks_; }
  // Null: this VM lets no more agents rewrite classes, with the reason in `error`.
  ClassHooks* hooks(JNIEnv* jni, std::string& error);

  // From now on classes get what it wants; once is enough. "" or what went wrong.
  std::string add(JNIEnv* jni, Patcher& patcher);
  void remove(Patcher& patcher);
  // When it returns, what that one wants is in all loaded classes that need it, or that `needs` says;
  // methods that run go on as they were.
  void bring_up_to_date(JNIEnv* jni, Patcher& patcher, ClassHooks::Needs needs = nullptr);

 private:
  using Patchers = std::vector<Patcher*>;
  std::shared_ptr<const Patchers> patchers() const;
  std::string change(Patchers patchers);

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void left_out(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

  SinksClass& sinks_;
  mutable std::mutex mutex_;     // of all below
  ClassHooks* hooks_ = nullptr;  // null until it is asked for
  std::shared_ptr<const Patchers> patchers_ = std::make_shared<Patchers>();
};

}  // namespace ddm
