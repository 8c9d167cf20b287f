// The probes of all connections: installing, reading, and removing them.
//
// All of the work runs on the budget's thread, so that probes can be removed while another request
// (a heap dump) takes long; the public functions only post work to that thread. If another agent's
// transformer blocks a change of classes for 5 s, the answer says so, and the rest of the change is
// done once the transformer has returned. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "probes/hit_budget.h"
#include "probes/probe_code.h"
#include "probes/probe_records.h"
#include "report/time_data.h"
#include "vm/class_changes/running_methods.h"
#include "wire/chunks/probes.h"

namespace ddm {

class Probes final : public TimeDataSource, private BudgetUser {
 public:
  using Owner = std::uint64_t;  // a connection: it has one request at a time
  using Answer = std::function<void(Result<ProbeFindings>)>;
  using Last = std::function<void(const ProbeFindings&)>;
  using Outlook = std::function<void(Result<ClassOutlook>)>;

  // How to capture and name stacks; called on the agent's thread.
  using Naming = std::function<std::optional<StackNaming>(JNIEnv*)>;
  Probes(jvmtiEnv* jvmti, HitBudget& budget, Naming naming);

  // `jni`: of the calling thread. Each request is answered once, later: install() when the probes
  // are in, remove() when all classes have their original code again, unless that is blocked.
  // `last`: receives the findings when the program ends, on another thread.
  void install(JNIEnv* jni, Owner owner, ProbeRequest request, Answer answer, Last last);
  void read(JNIEnv* jni, Owner owner, bool with_records, bool with_notes, Answer answer);
  // The obstacles to changing the classes of the matching methods now, for whatever purpose.
  void outlook(JNIEnv* jni, OutlookRequest request, Outlook answer);
  void remove(JNIEnv* jni, Owner owner, Answer answer);
  // In VMDeath, before the budget is closed: sends the findings so far, and waits briefly for that.
  void program_ends();
  // The connection has ended.
  void disconnected(Owner owner);

  void add_to(TimeData&) override {}
  void add_names(NamesInUse& used) override { records_.add_names(used); }

 private:
  // Answers what `work` returns.
  template <typename Work, typename WorkAnswer>
  void run(JNIEnv* jni, Work work, WorkAnswer answer);

  // All of this on the budget's thread, but remove() on the one that changes classes.
  std::vector<ProbeBudget::Cost> new_costs(JNIEnv* jni, const HitCosts& costs,
                                           const std::vector<std::int64_t>& counts) override;
  std::vector<std::string> remove(JNIEnv* jni, const std::vector<std::uint32_t>& numbers) override;
  std::string prepare(JNIEnv* jni);
  ClassHooks* hooks(JNIEnv* jni, std::string& error);
  Result<ClassOutlook> read_outlook(JNIEnv* jni, const OutlookRequest& request);
  Result<ProbeFindings> begin(JNIEnv* jni, Owner owner, ProbeRequest request, Last last);
  Result<ProbeFindings> end(JNIEnv* jni, Owner owner);
  void drop(JNIEnv* jni, Owner owner);
  void drop_leaving(JNIEnv* jni);
  bool bring_up_to_date(JNIEnv* jni);
  void start_charging(const std::vector<std::int64_t>& counts);
  void finish_change(JNIEnv* jni);
  ProbeFindings findings(JNIEnv* jni, Owner owner, bool with_records,
                         std::vector<std::string> notes);
  std::vector<std::string> notes(JNIEnv* jni, Owner owner);
  void update_budget(JNIEnv* jni);

  jvmtiEnv* const jvmti_;
  HitBudget& budget_;
  Patches& patches_;
  SinkCells& cells_;
  const Naming naming_;
  ProbeRecords records_;
  ProbeCode code_;
  std::unique_ptr<RunningMethods> running_;  // null until the first class request
  std::atomic<bool> on_{false};

  struct Owned {
    Owner owner = 0;
    std::uint32_t budget = 0;
    Last last;
    bool late = false;     // installing its probes was blocked
    bool leaving = false;  // the connection has ended, and classes still have its probes
  };
  std::vector<Owned> owners_;
  // Another agent's transformer blocks a change of classes, which is still in progress; and whether
  // another change must follow it.
  bool held_up_ = false, again_ = false;
  struct Charged {
    HitCounts hits;
    ProbeRecords::Cost records;
  };
  std::map<ProbeCode::Number, Charged> charged_;
};

}  // namespace ddm
