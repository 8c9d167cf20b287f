// A report of the run, put together from what the features know: each adds its part. Whoever writes
// reports, and whoever answers for them, asks here; nobody asks a feature.
#pragma once

#include <jvmti.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"
#include "stack/stacks.h"
#include "vm/vm_facts.h"

namespace ddm {

// A feature's part of a report.
class ReportPart {
 public:
  virtual ~ReportPart() = default;
  // There is something to tell.
  virtual bool has_figures() const = 0;
  // `jni` null: without the VM, and whatever state it is in. False: the feature is just being switched
  // and does not come to an end; then there is no report.
  virtual bool add_to(ReportData& data, JNIEnv* jni) = 0;
};

// What makes a report waits for its figures. Without the VM (null) not for long: the thread that has the
// lock may never come back, and then it is not taken.
std::unique_lock<std::timed_mutex> lock_for_report(std::timed_mutex& mutex, JNIEnv* jni);

class ReportAssembly {
 public:
  ReportAssembly(const VmFacts& facts, Stacks& stacks) : facts_(facts), stacks_(stacks) {}

  // Before the first report; both live as long as this does. The names that time is told with are kept.
  void include(ReportPart& part) { parts_.push_back(&part); }
  void include(TimeDataSource& source);

  bool has_figures() const;
  // None: a feature is just being switched, and the VM cannot be waited for. Any attached thread; with
  // null any thread.
  std::optional<ReportData> report(JNIEnv* jni, std::string reason);
  // Their figures begin anew.
  void forget_time();

 private:
  const VmFacts& facts_;
  Stacks& stacks_;
  std::timed_mutex mutex_;  // one report at a time: its figures are of one moment
  std::vector<ReportPart*> parts_;
  std::vector<TimeDataSource*> time_;
};

}  // namespace ddm
