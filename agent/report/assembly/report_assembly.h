// Assembles a report of the run from the parts of all features. Writers of reports use this and no
// feature directly.
#pragma once

#include <jvmti.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/freed_memory.h"
#include "report/report.h"
#include "stack/stacks.h"
#include "vm/vm_facts.h"

namespace ddm {

// A feature's part of a report.
class ReportPart {
 public:
  virtual ~ReportPart() = default;
  // Whether the part has data.
  virtual bool has_figures() const = 0;
  // `jni` null: the VM must not be entered, whatever its state. False: the feature is being
  // switched and does not finish; then no report is made.
  virtual bool add_to(ReportData& data, JNIEnv* jni) = 0;
};

// Locks for making a report. Without the VM (null) only for a limited time, since the owner of the
// lock may never continue; the result may then be unlocked.
std::unique_lock<std::timed_mutex> lock_for_report(std::timed_mutex& mutex, JNIEnv* jni);

class ReportAssembly {
 public:
  ReportAssembly(const VmFacts& facts, Stacks& stacks) : facts_(facts), stacks_(stacks) {}

  // Call before the first report; parts and sources must outlive this object. Names used by time
  // sources are kept.
  void include(ReportPart& part) { parts_.push_back(&part); }
  void include(TimeDataSource& source);

  bool has_figures() const;
  // nullopt: a feature is being switched, and the VM cannot be waited for. Any attached thread;
  // with null any thread.
  std::optional<ReportData> report(JNIEnv* jni, std::string reason);
  // Resets the figures of the time sources.
  void forget_time();

 private:
  const VmFacts& facts_;
  Stacks& stacks_;
  std::timed_mutex mutex_;  // one report at a time, so its figures are of one moment
  FreedMemory freed_memory_;  // of reports
  std::vector<ReportPart*> parts_;
  std::vector<TimeDataSource*> time_;
};

}  // namespace ddm
