// The methods that have a probe, and the code that is inserted in them.
//
// One attached thread adds and removes sets; any thread rewrites classes.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bci/class_file.h"
#include "bci/patch/patch_class.h"
#include "probes/patches.h"
#include "probes/plans/probe_plan.h"
#include "probes/probe_records.h"
#include "time/calls/method_filter.h"

namespace ddm {

class ProbeCode final : public Patcher {
 public:
  using Number = std::uint32_t;                 // of a probe, installed or not
  using ProbeSetId = ProbeRecords::ProbeSetId;  // the connection's

  struct Probe {
    ProbeSetId set = 0;
    std::string class_name, method, descriptor;  // internal name
    std::int32_t cell = -1;                      // -1: none
    bool timed = false;
    ConditionWork condition_work;
    std::string removed;           // why the probe is not in the code; "": it is
    bool in_code = false;          // in a class, of one loader at least
    bool settled = false;          // there at the latest settled(), or new with its class
    bool absent = false;           // `removed` is of one loader's class, and another's may take it
    std::int64_t hits_before = 0;  // counted for an earlier set that had this probe
    std::chrono::steady_clock::time_point since{};
  };

  ProbeCode(jvmtiEnv* jvmti, SinksClass& sinks, ProbeRecords& records)
      : jvmti_(jvmti), cells_(sinks.cells()), paths_(sinks.paths()), records_(records) {}

  // Takes effect at the next retransformation. `budget`: percent, in force.
  void add(ProbeSetId id, ProbeSpec spec, double budget);
  // The sets that loaded classes have not got yet. settled(): they have those now.
  std::set<ProbeSetId> adding() const;
  void settled(const std::set<ProbeSetId>& added);
  void remove(ProbeSetId id);
  // The set's classes were changed so often that the VM would soon stop compiling their callers.
  // False for timed probes and dear conditions: reading the clock twice a call costs too much to
  // leave them in.
  bool may_stay(ProbeSetId id) const;
  // The set's probes stay in the code; the caller has closed them.
  void park(ProbeSetId id);
  // True: a parked set was equal; `id` now owns its probes, with no class changed. `counts`: all.
  bool adopt(JNIEnv* jni, ProbeSetId id, const ProbeSpec& spec, double budget,
             const std::vector<std::int64_t>& counts);
  // Drops parked sets with probes in classes that `patterns` match: they are changed next anyway.
  std::vector<ProbeSetId> drop_parked(const std::string& patterns);
  // Removes one probe that exceeds its budget; returns the internal name of the class to
  // retransform. A probe that exceeds it right after installation is not installed again within a
  // minute unless the budget grows: each change of the class discards its compiled code.
  std::string remove_over_budget(JNIEnv* jni, Number number, double budget);
  // Gives the set's counters back for reuse.
  void forget(ProbeSetId id);

  // Whether a set that is being added gets a probe in this linked class, or one that has left is
  // still in its code.
  bool comes_or_goes(jclass klass, std::string_view internal_name, bool is_platform);

  bool any_set() const;
  std::map<Number, Probe> probes() const;
  std::vector<std::string> notes(ProbeSetId id) const;

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::vector<Part> parts(JNIEnv* jni, const LoadingClass& loading,
                          bci::ByteSpan class_file) override;
  void patched(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan class_file,
               const std::vector<Part>& parts) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void incomplete(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

 private:
  static constexpr std::size_t kMostMethods = 1000;  // of a set
  static constexpr const char* kBudget = "budget";   // Probe::removed

  struct ProbeSet {
    std::shared_ptr<const ProbeSpec> spec;
    MethodFilter filter;
    double budget = 0;
    bool parked = false;
    std::size_t methods = 0;
    // Hashes of the methods beyond kMostMethods, and of those without the line or field.
    std::unordered_set<std::size_t> left_out, without_site;
    std::set<std::string> notes, with_initialiser;  // the second: classes
    std::map<std::string, Number> numbers;          // by full_name() of the method
  };

  struct OverBudget {
    std::chrono::steady_clock::time_point until;
    double budget;
  };

  // A method that a set wants, and what is in the way: `why_not`, or no line or field.
  struct Wanted {
    std::string_view class_name, method, descriptor;  // internal name
    bool is_platform, is_new;
    std::string why_not;
    bool has_site;
  };

  void hand_over(ProbeSetId from, ProbeSetId to);
  void record_hits(JNIEnv* jni, const Probe& probe, const ProbeRequest& request);
  bool has_left(std::string_view internal_name) const;
  // For one of these sets. If not, the class's methods that they want have their rows now.
  bool gets_probe(jclass klass, std::string_view internal_name, bool is_platform,
                  const std::function<bool(ProbeSetId, const ProbeSet&)>& is_asked);
  bool is_over_budget(const ProbeSet& set, const std::string& method) const;
  static std::string full_name(std::string_view class_name, std::string_view method,
                               std::string_view descriptor);
  Number row_of(ProbeSetId id, ProbeSet& set, const Wanted& wanted);  // 0: it gets none
  // Whether the row's probe is to be in the method's code; it has a counter then.
  bool takes_probe(JNIEnv* jni, const ProbeSet& set, Probe& probe, const Wanted& wanted);
  void record_refusals(JNIEnv* jni, const std::string& class_name, const bci::PatchResult& result);
  void record_absences(JNIEnv* jni, const bci::ClassFile& file, const bci::PatchResult& result);

  jvmtiEnv* const jvmti_;
  SinkCells& cells_;
  ObjectPaths& paths_;
  ProbeRecords& records_;
  bci::PatchIdTable ids_;  // plans of probes use none

  mutable std::mutex mutex_;  // of all below
  std::map<ProbeSetId, ProbeSet> sets_;
  std::map<Number, Probe> probes_;
  Number next_ = 1;
  ProbeSetId next_parked_ = ProbeSetId{1} << 63;   // no connection has such a number
  std::map<std::string, OverBudget> over_budget_;  // by class, method, descriptor and kind of probe
  std::set<std::string, std::less<>> patched_;     // names of classes that have or had probes
  std::set<ProbeSetId> adding_;                    // between add() and settled()
};

}  // namespace ddm
