// The reports that dump= and servers ask for: when they are due (the program's end, an
// OutOfMemoryError, every= seconds), one at a time, and what goes into them.
//
// Any thread; made before the first one is due, never destroyed.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/assembly/followed_objects.h"
#include "report/assembly/report_assembly.h"
#include "reports/heap_dump_reports.h"
#include "reports/report_files.h"
#include "reports/report_options.h"
#include "vm/agent_thread.h"

namespace ddm {

class RunReports {
 public:
  // `load_time`: seconds since 1970.
  RunReports(jvmtiEnv* jvmti, std::int32_t pid, std::int64_t load_time, ReportAssembly& assembly,
             FollowedObjects& followed)
      : jvmti_(jvmti), pid_(pid), load_time_(load_time), assembly_(assembly), followed_(followed) {}

  // Those of dump=, if it is given, instead of what was before, and every=. Whether any are wanted.
  bool use(JNIEnv* jni, const ReportOptions& options);
  // Now, and not when the run is over, says what the reports asked for are to be without.
  void tell_what_lacks();
  // cpu= or monitor= was asked for: there is something to tell even where nothing is tracked.
  void has_times() { timed_ = true; }

  // JVMTI's ResourceExhausted, with its flags.
  void resource_exhausted(jint flags);

  // The program ends: from now on the last word is the end's. False: that has been said before.
  bool begin_end() { return !dying_.exchange(true); }
  // Those of the end, `at_end` as well: paths that servers have asked for. What is being written is
  // finished first (how long that may take: core/exit_limits.h). Without `jni` the VM is not asked
  // for anything. False: another one did not come to an end.
  bool write_last(JNIEnv* jni, std::vector<std::string> at_end);

 private:
  void use_heap_dumps(JNIEnv* jni, std::vector<std::string> paths);
  void start_reporter(JNIEnv* jni);
  void write(JNIEnv* jni, const char* reason, bool oom);
  // Lock held, all of these.
  void write_all(JNIEnv* jni, const char* reason, bool oom);
  bool into_files() const { return (files_ && files_->any()) || !at_end_.empty(); }
  // None: nothing is to be written.
  std::optional<ReportData> take_records(JNIEnv* jni, const char* reason);
  void write_records(const ReportData& data, bool oom);

  jvmtiEnv* const jvmti_;
  const std::int32_t pid_;
  const std::int64_t load_time_;
  ReportAssembly& assembly_;
  FollowedObjects& followed_;
  std::unique_ptr<AgentThread> reporter_;  // writes while the program runs

  std::mutex mutex_;   // one report at a time; guards what follows
  bool none_ = false;  // dump=none
  std::unique_ptr<ReportFiles> files_;
  std::unique_ptr<HeapDumpReports> heap_dumps_;  // null: dump= names none
  std::vector<std::string> at_end_;

  std::atomic<bool> timed_{false};
  std::atomic<bool> oom_seen_{false};
  std::atomic<bool> oom_due_{false};
  std::atomic<bool> dying_{false};
};

}  // namespace ddm
