// What INSTRUMENT has put into classes of the running program, by model, and what it counts there.
//
// Numbers of DYPATCH's tables get a counter of the sinks for each class whose code counts with them.
// A while after a class's patches are out it is given back; what it had counted is kept, so that
// numbers go on when the patches are in again. A class whose patches are the dearest of all that is
// hit when the budget is exceeded loses them. On the thread that answers commands;
// write_counters() on any attached one.
#pragma once

#include <jni.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "bci/patch/patch_class.h"
#include "dyper/documents/request.h"
#include "dyper/sink_linkage.h"
#include "patch/hit_budget.h"
#include "patch/patches.h"

namespace ddm {

using ClassFiles = std::map<std::string, std::vector<std::uint8_t>>;  // by name, "a.b.C"

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
  // A class without patches of the model is passed over.
  void take_out(JNIEnv* jni, const std::string& model, const std::set<std::string>& classes);

  std::set<std::string> of(const std::string& model) const;
  // The classes that have patches, as they are without.
  ClassFiles unpatched() const;

  void write_counters(JNIEnv* jni, XmlWriter& xml) const;
  void clear_counters(JNIEnv* jni);
  // Of which threads hits count.
  void count_threads(JNIEnv* jni, const std::vector<std::int64_t>& ids, bool all_but_these);

 private:
  class Counters;
  // The plan as it was put in, for these classes together.
  struct Placed {
    std::string model;
    Patches::PlanNumber number = 0;
    bci::PatchPlan plan;
    Patches::MayHave may_have;
    std::set<std::string> classes;
  };

  bool start(JNIEnv* jni, std::vector<DyperError>& errors);
  // These with the lock held. False: the VM does not allow it.
  bool place(JNIEnv* jni, Placed placed, std::vector<DyperError>& errors);
  void remove(JNIEnv* jni, const std::string& model, const std::set<std::string>& classes);

  // On the budget's thread.
  std::vector<ProbeBudget::Cost> spent(JNIEnv* jni, const HitCosts& costs,
                                       const std::vector<std::int64_t>& counts) override;
  std::string take_out(JNIEnv* jni, std::uint32_t number) override;

  HitBudget& budget_;
  const std::shared_ptr<Counters> counters_;
  mutable std::mutex changing_;       // of what follows
  std::unique_ptr<Patches> patches_;  // null until the first are put in
  std::vector<Placed> placed_;
  ClassFiles unpatched_;
};

}  // namespace ddm
