// The methods that have a probe, and the code that is put into them.
//
// One attached thread adds and removes wishes; any thread rewrites classes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
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
  using Number = std::uint32_t;       // of a probe, put in or not
  using WishId = ProbeRecords::Wish;  // the connection's

  struct Probe {
    WishId wish = 0;
    std::string class_name, method, descriptor;  // internal name
    std::int32_t cell = -1;                      // -1: none
    bool timed = false, conditional = false;
    std::string removed;           // why the probe is not in the code; "": it is
    std::int64_t hits_before = 0;  // counted for an earlier wish that had this probe
    std::chrono::steady_clock::time_point since{};
  };

  ProbeCode(jvmtiEnv* jvmti, SinkCells& cells, ProbeRecords& records)
      : jvmti_(jvmti), cells_(cells), records_(records) {}

  // Takes effect at the next retransformation; settled() follows it. `budget`: percent, in force.
  void add(WishId id, ProbeWish wish, double budget);
  void settled();
  void remove(WishId id);
  // The wish's classes were changed so often that the VM would soon stop compiling their callers.
  // False for timed probes: reading the clock twice a call costs too much to leave them in.
  bool may_stay(WishId id) const;
  // The wish's probes stay in the code; the caller has closed them.
  void park(WishId id);
  // True: a parked wish was equal; `id` now owns its probes, with no class changed. `counts`: all.
  bool adopt(JNIEnv* jni, WishId id, const ProbeWish& wish, double budget,
             const std::vector<std::int64_t>& counts);
  // Drops parked wishes with probes in classes that `patterns` match: they are changed next anyway.
  std::vector<WishId> drop_parked(const std::string& patterns);
  // Removes one probe that exceeds its budget; returns the internal name of the class to
  // retransform. A probe that exceeds it right after installation is not installed again within a
  // minute unless the budget grows: each change of the class discards its compiled code.
  std::string take_out(JNIEnv* jni, Number number, double budget);
  // Gives the wish's counters back for reuse.
  void forget(WishId id);

  bool any_wish() const;
  std::map<Number, Probe> probes() const;
  std::vector<std::string> notes(WishId id) const;

  bool may_want(std::string_view internal_name, bool is_platform) override;
  std::vector<Part> parts(JNIEnv* jni, const LoadingClass& loading,
                          bci::ByteSpan class_file) override;
  void patched(JNIEnv* jni, const LoadingClass& loading, bci::ByteSpan class_file,
               const std::vector<Part>& parts) override;
  bool needs_change(jclass klass, std::string_view internal_name, bool is_platform) override;
  void left_out(const std::string& reason) override;
  void refused(std::string_view internal_name, const std::string& reason) override;

 private:
  static constexpr std::size_t kMostMethods = 1000;  // of a wish

  struct Wish {
    std::shared_ptr<const ProbeWish> wish;
    MethodFilter filter;
    double budget = 0;
    bool parked = false;
    std::size_t methods = 0, too_many = 0;
    std::set<std::string> notes, with_initialiser;  // the second: classes
  };

  struct TooDear {
    std::chrono::steady_clock::time_point until;
    double budget;
  };

  void hand_over(WishId from, WishId to);
  bool only_parked(std::string_view internal_name) const;
  bool wanted_now(std::string_view internal_name, bool is_platform, bool is_coming) const;
  bool all_too_dear(jclass klass, std::string_view internal_name, bool is_platform);
  bool is_too_dear(const Wish& wish, const std::string& method) const;
  void refuse(WishId id, Wish& wish, std::string_view internal_name, std::string_view method,
              std::string_view descriptor);
  Number find_or_add(JNIEnv* jni, WishId id, Wish& wish, const bci::ClassFile& file,
                     const bci::MethodOutline& method);
  std::string reason_against(const bci::ClassFile& file, const bci::MethodOutline& method) const;
  void take_refusals(JNIEnv* jni, const std::string& class_name, const bci::PatchResult& result);
  void take_absences(JNIEnv* jni, const std::string& class_name, const bci::PatchResult& result);

  jvmtiEnv* const jvmti_;
  SinkCells& cells_;
  ProbeRecords& records_;
  bci::PatchIdTable ids_;  // plans of probes use none

  mutable std::mutex mutex_;  // of all below
  std::map<WishId, Wish> wishes_;
  std::map<Number, Probe> probes_;
  std::map<std::string, Number> numbers_;  // by wish, class, method and descriptor
  Number next_ = 1;
  WishId next_parked_ = WishId{1} << 63;        // no connection has such a number
  std::map<std::string, TooDear> too_dear_;     // by class, method, descriptor and kind of probe
  std::set<std::string, std::less<>> patched_;  // classes that have probes in them
  std::optional<WishId> coming_;                // between add() and settled()
};

}  // namespace ddm
