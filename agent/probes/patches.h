// Plans put into the classes of a running VM and taken out again: retransformed, so that what is
// left afterwards is the code as it was, also if another agent retransforms the classes meanwhile.
//
// Several plans of several owners may be in at once, also in the same methods: none sees what another
// put in.
// put_in() and take_out() come on any attached thread, one at a time; not from JVMTI events.
#pragma once

#include <jni.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bci/patch/patch_class.h"
#include "probes/sinks_class.h"
#include "vm/class_changes/class_hooks.h"

namespace ddm {

class Patches final : private ClassRewriting {
 public:
  // None: this VM lets no more agents rewrite classes, with the reason in `error`. There is one in
  // the process, until it ends.
  static std::unique_ptr<Patches> create(JNIEnv* jni, SinksClass& sinks, std::string& error);

  // What became of a plan, class by class (internal names): as of now; classes that are loaded
  // later are added.
  struct PatchedClass {
    std::string name;
    std::vector<bci::PatchedMethod> methods;
    std::vector<bci::RefusedSite> refused;
    std::string failed;  // the VM would not take the class, e.g. "JVMTI_ERROR_FAILS_VERIFICATION"
  };
  struct Report {
    std::vector<PatchedClass> classes;
    double longest_pause_ms = 0;  // of the retransformations
  };

  using PlanNumber = std::uint32_t;  // of a plan that is in; never 0
  // Which of the classes that a plan is about may have its patches. Asked on any thread.
  struct Choice {
    // By name (internal), also of loaded classes before they are retransformed.
    std::function<bool(std::string_view name)> by_name;
    // By loader (null: boot) too, in the class hook: it must find the sinks.
    std::function<bool(JNIEnv*, std::string_view name, jobject loader)> by_loader;
    // Is told of a class that has got patches, and how it was without; in the class hook.
    std::function<void(std::string_view name, bci::ByteSpan class_file)> told;
  };
  // When it returns, the patches are in all loaded classes that the plan is about; methods that run
  // go on without them. 0: nothing was done, and why in `error`. A plan without a class that is
  // loaded now is in nevertheless. `ids` is asked on any thread as long as the plan is in.
  PlanNumber put_in(JNIEnv* jni, std::shared_ptr<const bci::PatchPlan> plan,
                    std::shared_ptr<bci::PatchIds> ids, std::string& error, Choice choice = {});
  // Brings these loaded classes up to what is chosen now.
  void choose_again(JNIEnv* jni, const std::set<std::string, std::less<>>& names);
  // When it returns, no loaded class has patches of that plan. False: there is no such plan.
  bool take_out(JNIEnv* jni, PlanNumber plan);
  // Nothing: there is no such plan.
  std::optional<Report> report(PlanNumber plan) const;

 private:
  struct Plan {
    std::shared_ptr<const bci::PatchPlan> plan;
    std::shared_ptr<bci::PatchIds> ids;
    Choice choice;
    std::map<std::string, PatchedClass, std::less<>> classes;  // by name
    double longest_pause_ms = 0;
  };
  using Plans = std::map<PlanNumber, std::shared_ptr<Plan>>;

  Patches(SinksClass& sinks, ClassHooks& hooks) : sinks_(sinks), hooks_(hooks) {}

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::optional<bci::Bytes> rewrite(JNIEnv* jni, const LoadingClass& loading,
                                    bci::ByteSpan class_file) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void left_out(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

  void put_back(JNIEnv* jni, Plan& plan);
  void look_again(JNIEnv* jni, const std::set<std::string, std::less<>>& names);
  bool is_about(const Plan& plan, std::string_view class_name, jclass klass) const;
  Plans plans() const;

  SinksClass& sinks_;
  ClassHooks& hooks_;

  std::mutex changing_;  // one change at a time
  mutable std::mutex mutex_;
  Plans plans_;
  PlanNumber last_number_ = 0;
};

}  // namespace ddm
