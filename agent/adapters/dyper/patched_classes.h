// The patches that INSTRUMENT has installed in classes of the running program, by model.
//
// A model with `later` patches classes as they are loaded, too. When the budget is exceeded, the
// class whose patches have the highest cost of all loses them. Runs on the thread that answers
// commands.
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

#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/documents/thread_choice.h"
#include "adapters/dyper/link_thread.h"
#include "adapters/dyper/patch_counters.h"
#include "bci/patch/patch_class.h"
#include "probes/hit_budget.h"
#include "probes/patches.h"

namespace ddm {

using ClassFiles = std::map<std::string, std::vector<std::uint8_t>>;  // by name, "a.b.C"
using ClassNames = std::set<std::string>;                             // likewise

// What could not be patched, as errors.
void report_refused(const std::string& class_name, const std::vector<bci::RefusedSite>& refused,
                    DyperErrors& errors);

class PatchedClasses final : private Patcher, private BudgetUser {
 public:
  // `ids`: the numbers of the tables.
  PatchedClasses(jvmtiEnv* jvmti, bci::PatchIds& ids, HitBudget& budget);

  // The names of the loaded, modifiable classes for which `wanted` is true.
  ClassNames loaded(JNIEnv* jni, const std::function<bool(const std::string& name)>& wanted,
                    DyperErrors& errors);

  // Installs the plan's patches in these classes, replacing those of the same model. A class with
  // another model's patches is an error. With `later`, classes loaded from now on get that plan.
  void install(JNIEnv* jni, const std::string& model, const LinkedPlan& linked, ClassNames classes,
               std::optional<bci::PatchPlan> later, DyperErrors& errors);
  // Skips classes without patches of the model; classes of these names loaded later get none.
  void remove(JNIEnv* jni, const std::string& model, const ClassNames& classes);
  void remove(JNIEnv* jni, const std::string& model);

  // The class files of patched classes, without the patches.
  ClassFiles unpatched() const;

  // Writes the values of the counters, as RTITEM. Any attached thread.
  void write_counters(JNIEnv* jni, XmlWriter& xml) const;
  void clear_counters(JNIEnv* jni) { counters_.clear(jni); }
  // Only hits of these threads count.
  void count_threads(JNIEnv* jni, const ChosenThreads& threads);

 private:
  struct Chosen {
    std::shared_ptr<const bci::PatchPlan> plan;
    LinkedPlan::ByLoader by_loader;
  };
  struct Model {
    std::map<std::string, Chosen> classes;  // loaded when the model was instrumented
    Chosen later;                           // for classes loaded later; null: none
    ClassNames excluded;                    // names that `later` does not apply to
  };
  struct Patched {
    std::vector<std::uint8_t> without;
    std::set<std::string> models;
  };
  // The result of changing one class.
  struct Outcome {
    std::vector<bci::RefusedSite> refused;
    std::string failed;  // the error of the VM, e.g. "JVMTI_ERROR_FAILS_VERIFICATION"
  };
  using Outcomes = std::map<std::string, Outcome>;

  // Called with `changing_` held.
  Outcomes change(JNIEnv* jni, const std::string& model, const ClassNames& classes);
  void remove_classes(JNIEnv* jni, const std::string& model, const ClassNames& classes);
  bool waits_for(const std::string& model, const std::string& name) const;
  // Called with `mutex_` held.
  ClassNames choose(const std::string& name, const LinkedPlan& linked, ClassNames classes,
                    DyperErrors& errors);
  ClassNames leave_out(const std::string& model, const ClassNames& classes);
  ClassNames classes_of(const std::string& model) const;
  bool has(const std::string& model, const std::string& name) const;
  bool is_wanted(const std::string& name) const;  // by any model
  static const Chosen* chosen(const Model& model, const std::string& name);

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::vector<Part> parts(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan) override;
  void patched(JNIEnv*, const LoadingClass& loading, bci::ByteSpan class_file,
               const std::vector<Part>& parts) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

  // On the budget's thread; remove() on the one that changes classes.
  std::vector<ProbeBudget::Cost> new_costs(JNIEnv* jni, const HitCosts& costs,
                                           const std::vector<std::int64_t>& counts) override;
  std::vector<std::string> remove(JNIEnv* jni, const std::vector<std::uint32_t>& numbers) override;

  jvmtiEnv* const jvmti_;
  HitBudget& budget_;
  PatchCounters counters_;
  std::mutex changing_;  // one change at a time

  mutable std::mutex mutex_;  // guards what follows
  std::map<std::string, Model> models_;
  std::map<std::string, Patched> patched_;
  std::string changing_model_;
  Outcomes outcomes_;  // of the change of `changing_model_`
  // The classes whose patches the budget has removed, and the models of these.
  std::map<std::string, std::string> over_budget_;
};

}  // namespace ddm
