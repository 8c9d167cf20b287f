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
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "probes/hit_budget.h"
#include "probes/probe_code.h"
#include "probes/probe_records.h"
#include "report/time_data.h"
#include "vm/class_changes/running_methods.h"
#include "wire/chunks/class_outlook.h"
#include "wire/chunks/probes.h"

namespace ddm {

class Probes final : public TimeDataSource, private HitSpender {
 public:
  using Owner = std::uint64_t;  // a connection: it has one request at a time
  using Answer = std::function<void(Result<ProbeFindings>)>;
  using Last = std::function<void(const ProbeFindings&)>;
  using Outlook = std::function<void(Result<ClassOutlook>)>;

  // How to capture and name stacks; called on the agent's thread.
  using Naming = std::function<std::optional<StackNaming>(JNIEnv*)>;
  Probes(jvmtiEnv* jvmti, HitBudget& budget, Naming naming);

  // `jni`: of the calling thread. Each request is answered once, later: put_in() when the probes
  // are in, take_out() when all classes have their original code again, unless that is blocked.
  // `last`: receives the findings when the program ends, on another thread.
  void put_in(JNIEnv* jni, Owner owner, ProbeRequest request, Answer answer, Last last);
  void ask(JNIEnv* jni, Owner owner, bool with_records, Answer answer);
  // The obstacles to changing the classes of the matching methods now, for whatever purpose.
  void look(JNIEnv* jni, OutlookRequest request, Outlook answer);
  void take_out(JNIEnv* jni, Owner owner, Answer answer);
  // In VMDeath, before the budget is closed: sends the findings so far, and waits briefly for that.
  void program_ends();
  // The connection has ended.
  void owner_gone(Owner owner);

  void add_to(TimeData&) override {}
  void add_names(NamesInUse& used) override { records_.add_names(used); }

 private:
  using Work = std::function<Result<ProbeFindings>(JNIEnv*)>;
  void run(JNIEnv* jni, Work work, Answer answer);

  // All of this on the budget's thread, but take_out() on the one that changes classes.
  std::vector<ProbeBudget::Cost> spent(JNIEnv* jni, const HitCosts& costs,
                                       const std::vector<std::int64_t>& counts) override;
  std::vector<std::string> take_out(JNIEnv* jni,
                                    const std::vector<std::uint32_t>& numbers) override;
  std::string prepare(JNIEnv* jni);
  ClassHooks* hooks(JNIEnv* jni, std::string& error);
  Result<ClassOutlook> outlook(JNIEnv* jni, const OutlookRequest& request);
  Result<ProbeFindings> begin(JNIEnv* jni, Owner owner, ProbeRequest request, Last last);
  Result<ProbeFindings> end(JNIEnv* jni, Owner owner);
  void leave(JNIEnv* jni, Owner owner);
  void let_leave(JNIEnv* jni);
  bool bring_up_to_date(JNIEnv* jni);
  void charge_from_now_on(const std::vector<std::int64_t>& counts);
  void go_on(JNIEnv* jni);
  ProbeFindings findings(JNIEnv* jni, Owner owner, bool with_records,
                         std::vector<std::string> notes);
  std::vector<std::string> notes(JNIEnv* jni, Owner owner);
  void keep_budget(JNIEnv* jni);

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
