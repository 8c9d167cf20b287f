// Reports of dump= and of servers: when they are due (program end, OutOfMemoryError, every=
// seconds), one at a time, and their data.
//
// Any thread; created before the first report is due, never destroyed.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "report/assembly/heap_dumps.h"
#include "report/assembly/report_assembly.h"
#include "reports/heap_dump_reports.h"
#include "reports/report_files.h"
#include "reports/report_options.h"
#include "vm/agent_thread.h"
#include "wire/chunks/report_chunk.h"

namespace ddm {

class RunReports {
 public:
  // `load_time`: seconds since the epoch.
  RunReports(jvmtiEnv* jvmti, std::int32_t pid, std::int64_t load_time, ReportAssembly& assembly,
             FollowedObjects& followed, MakeHeapDumps make_heap_dumps)
      : jvmti_(jvmti),
        pid_(pid),
        load_time_(load_time),
        assembly_(assembly),
        followed_(followed),
        make_heap_dumps_(std::move(make_heap_dumps)) {}

  // Replaces the paths of dump=, if given, and the period of every=. Returns whether there are
  // reports to write.
  bool use(JNIEnv* jni, const ReportOptions& options);
  // Warns now, and not at the end, about what the requested reports will lack.
  void warn_of_missing_stacks();
  // cpu= or monitor= is on: there are times to report even where nothing is tracked.
  void has_times() { timed_ = true; }

  // JVMTI's ResourceExhausted event, with its flags.
  void resource_exhausted(jint flags);

  // The program ends: only final reports are written from now on. False: already called.
  bool begin_end() { return !dying_.exchange(true); }
  // Writes the final reports, and those of `at_end`: paths requested by servers. A report in
  // progress is completed first (limits: core/exit_limits.h). Without `jni` the VM is not entered.
  // False: the report in progress did not finish.
  bool write_last(JNIEnv* jni, std::vector<ReportAtEndRequest> at_end);

 private:
  void use_heap_dumps(JNIEnv* jni, std::vector<std::string> paths);
  void start_reporter(JNIEnv* jni);
  void write(JNIEnv* jni, const char* reason, bool oom);
  // Lock held in all of these.
  void write_all(JNIEnv* jni, const char* reason, bool oom);
  bool into_files() const { return (files_ && files_->any()) || !at_end_.empty(); }
  // nullopt: there is nothing to write.
  std::optional<ReportData> take_records(JNIEnv* jni, const char* reason);
  void write_records(const ReportData& data, bool oom);

  jvmtiEnv* const jvmti_;
  const std::int32_t pid_;
  const std::int64_t load_time_;
  ReportAssembly& assembly_;
  FollowedObjects& followed_;
  const MakeHeapDumps make_heap_dumps_;
  std::unique_ptr<AgentThread> reporter_;  // writes reports during the run

  std::mutex mutex_;   // one report at a time; guards what follows
  bool none_ = false;  // dump=none
  std::unique_ptr<ReportFiles> files_;
  std::unique_ptr<HeapDumpReports> heap_dumps_;  // null: dump= has no heap dump
  std::vector<ReportAtEndRequest> at_end_;

  std::atomic<bool> timed_{false};
  std::atomic<bool> oom_seen_{false};
  std::atomic<bool> oom_due_{false};
  std::atomic<bool> dying_{false};
};

}  // namespace ddm
