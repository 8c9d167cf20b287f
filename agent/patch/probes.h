// The probes of all connections: put in, read, taken out, and kept within their budget.
//
// One thread of the agent's own does it all, so that a program that takes long over something else
// (a heap dump) still gets rid of its probes; the public functions only tell it. Any thread.
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

#include "ddm/probes.h"
#include "ddm/result.h"
#include "jvm/agent_thread.h"
#include "jvm/class_hooks.h"
#include "jvm/running_methods.h"
#include "patch/probe_code.h"
#include "patch/probe_records.h"
#include "patch/probes/probe_budget.h"
#include "patch/sinks_class.h"
#include "records/time_data.h"

namespace ddm {

class Probes final : public TimeDataSource {
 public:
  using Owner = std::uint64_t;  // a connection: it has one request at a time
  using Answer = std::function<void(Result<ProbeFindings>)>;

  // `naming`: of stacks, asked for on the agent's thread. `sampler_ns`: CPU that sampling has taken
  // so far, which is of the same budget.
  struct Sources {
    std::function<std::optional<StackNaming>(JNIEnv*)> naming;
    std::function<std::int64_t()> sampler_ns;
    // Told what probes take, in percent of one CPU: sampling leaves so much to them.
    std::function<void(double)> tell_sampler;
    std::int64_t budget = 5;  // percent
  };
  Probes(jvmtiEnv* jvmti, SinksClass& sinks, Sources sources);

  // `jni`: of the calling thread. Each answers once, later; put_in() when the probes are in, and
  // take_out() when the code of all classes is as it was.
  void put_in(JNIEnv* jni, Owner owner, ProbeRequest request, Answer answer);
  void ask(JNIEnv* jni, Owner owner, bool with_records, Answer answer);
  void take_out(JNIEnv* jni, Owner owner, Answer answer);
  // The connection is no more.
  void owner_gone(Owner owner);

  // In VMDeath: microseconds.
  void close();

  void add_to(TimeData&) override {}
  void add_names(NamesInUse& used) override { records_.add_names(used); }

 private:
  using Work = std::function<Result<ProbeFindings>(JNIEnv*)>;
  void run(JNIEnv* jni, Work work, Answer answer);

  // All of this on the agent's thread.
  std::string prepare(JNIEnv* jni);
  Result<ProbeFindings> begin(JNIEnv* jni, Owner owner, ProbeRequest request);
  Result<ProbeFindings> end(JNIEnv* jni, Owner owner);
  ProbeFindings findings(JNIEnv* jni, Owner owner, bool with_records,
                         std::vector<std::string> notes);
  std::vector<std::string> notes(JNIEnv* jni, Owner owner);
  void first_in(JNIEnv* jni);
  void last_out(JNIEnv* jni);
  void calibrate(JNIEnv* jni, int rounds);
  void step(JNIEnv* jni);
  void charge_own_work();
  double cost_of(ProbeCode::Number number, const ProbeCode::Probe& probe,
                 const std::vector<std::int64_t>& sums);

  jvmtiEnv* const jvmti_;
  const Sources sources_;
  AgentThread thread_;
  SinksClass& sinks_;
  ProbeRecords records_;
  ProbeCode code_;
  std::unique_ptr<ClassHooks> hooks_;
  std::unique_ptr<RunningMethods> running_;
  std::atomic<bool> on_{false};

  struct Owned {
    Owner owner = 0;
    std::uint32_t budget = 0;
  };
  std::vector<Owned> owners_;
  std::unique_ptr<ProbeBudget> budget_;
  HitCosts costs_;
  struct Charged {
    std::int64_t hits = 0, tests = 0;
    ProbeRecords::Cost records;
  };
  std::map<ProbeCode::Number, Charged> charged_;
  std::int64_t last_wall_ns_ = 0, last_cpu_ns_ = 0, last_own_ns_ = 0, last_sampler_ns_ = 0;
  int steps_ = 0;
  double percent_of_cpu_ = 0;  // that probes take, of late
};

}  // namespace ddm
