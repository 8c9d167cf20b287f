// What INSTRUMENT has put into classes of the running program, by model.
//
// A model that waits has its patches put into classes that come later, too, as they are loaded. A
// class whose patches are the dearest of all that is hit when the budget is exceeded loses them. On
// the thread that answers commands; write_counters() on any attached one.
#pragma once

#include <jni.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "adapters/dyper/documents/request.h"
#include "adapters/dyper/lately_patched.h"
#include "adapters/dyper/patch_counters.h"
#include "adapters/dyper/sink_linkage.h"
#include "bci/patch/patch_class.h"
#include "probes/hit_budget.h"
#include "probes/patches.h"

namespace ddm {

// What could not be patched, as errors.
void tell_refused(const std::string& class_name, const std::vector<bci::RefusedSite>& refused,
                  std::vector<DyperError>& errors);

class PatchedClasses final : private HitSpender {
 public:
  // `ids`: the numbers of the tables.
  PatchedClasses(bci::PatchIds& ids, HitBudget& budget);
  ~PatchedClasses() override;

  // The plan's patches into these classes, which are given as they are without; in place of those
  // that the model has in them. A class with another model's patches is an error.
  void put_in(JNIEnv* jni, const std::string& model, const LinkedPlan& linked, ClassFiles classes,
              std::vector<DyperError>& errors);
  // And `later` into all others that come.
  void wait(JNIEnv* jni, const std::string& model, bci::PatchPlan later,
            const std::set<std::string>& but_these, std::vector<DyperError>& errors);
  // A class without patches of the model is passed over; later ones of that name get none.
  void take_out(JNIEnv* jni, const std::string& model, const std::set<std::string>& classes);
  void take_out(JNIEnv* jni, const std::string& model);

  // The classes that have patches, as they are without.
  ClassFiles unpatched() const;

  void write_counters(JNIEnv* jni, XmlWriter& xml) const;
  void clear_counters(JNIEnv* jni) { counters_->clear(jni); }
  // Of which threads hits count.
  void count_threads(JNIEnv* jni, const std::vector<std::int64_t>& ids, bool all_but_these);

 private:
  // A plan as it was put in: for these classes together, or for those that come.
  struct Placed {
    std::string model;
    Patches::PlanNumber number = 0;
    bci::PatchPlan plan;
    LinkedPlan::ByLoader by_loader;
    std::set<std::string> classes;
    std::shared_ptr<LatelyPatched> late;  // null: of `classes`

    bool has(const std::string& name) const {
      return late ? late->contains(name) : classes.contains(name);
    }
  };

  bool start(JNIEnv* jni, std::vector<DyperError>& errors);
  // These with the lock held. False: the VM does not allow it.
  bool place(JNIEnv* jni, Placed placed, std::vector<DyperError>& errors);
  void remove(JNIEnv* jni, const std::string& model, const std::set<std::string>& classes);
  void remove_late(JNIEnv* jni, LatelyPatched& late, const std::set<std::string>& classes);

  // On the budget's thread.
  std::vector<ProbeBudget::Cost> spent(JNIEnv* jni, const HitCosts& costs,
                                       const std::vector<std::int64_t>& counts) override;
  std::vector<std::string> take_out(JNIEnv* jni,
                                    const std::vector<std::uint32_t>& numbers) override;

  HitBudget& budget_;
  const std::shared_ptr<PatchCounters> counters_;
  mutable std::mutex changing_;       // of what follows
  std::unique_ptr<Patches> patches_;  // null until the first are put in
  std::vector<Placed> placed_;
  ClassFiles unpatched_;  // of those that were loaded

  mutable std::mutex over_budget_mutex_;
  // The classes that the budget has taken the patches of, and their models.
  std::map<std::string, std::string> over_budget_;
};

}  // namespace ddm
