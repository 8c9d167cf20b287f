// The agent's own reports: those of dump= and every=, and those that servers request.
//
// Decides when they are due (program end, OutOfMemoryError, every= seconds), one at a time, and has
// them made. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "core/feature.h"
#include "report/assembly/heap_dumps.h"
#include "report/assembly/report_assembly.h"
#include "reports/heap_dump_reports.h"
#include "reports/report_files.h"
#include "reports/report_handlers.h"
#include "reports/report_options.h"
#include "vm/agent_thread.h"
#include "vm/vm_events.h"
#include "wire/chunks/report_chunk.h"
#include "wire/handler_context.h"

namespace ddm {

class ReportsFeature final : public Feature, private VmListener {
 public:
  // `timed`: time measurements are reported even where nothing is tracked. `load_time`: seconds
  // since the epoch.
  ReportsFeature(const HandlerContext& context, std::int64_t pid, std::int64_t load_time,
                 const ReportOptions& options, ReportAssembly& assembly, FollowedObjects& followed,
                 MakeHeapDumps make_heap_dumps, std::function<bool()> timed)
      : context_(context),
        options_(options),
        asked_for_times_(std::move(timed)),
        pid_(pid),
        load_time_(load_time),
        assembly_(assembly),
        followed_(followed),
        make_heap_dumps_(std::move(make_heap_dumps)),
        handlers_(context, assembly, followed),
        reporter_(context.jvmti, "ddmagent-reports") {}

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void apply_options(JNIEnv* jni, const GivenOptions& given) override;
  // Warns now, and not at the end, about what the requested reports will lack.
  void started() override;
  void session_ended(const SessionPtr& session) override { handlers_.disconnected(session); }
  // Only final reports are written from now on.
  void end() override;
  void end_after_servers() override { handlers_.close(); }
  // Also those that servers asked for. A report in progress is completed first (limits:
  // core/exit_limits.h).
  bool write_final_reports(JNIEnv* jni, bool complete) override;

 private:
  void resource_exhausted(jint flags, const char* description) override;

  // Replaces the paths of dump=, if given, and the period of every=. Returns whether there are
  // reports to write.
  bool use_options(JNIEnv* jni);
  void write(JNIEnv* jni, const char* reason, bool oom);
  std::shared_ptr<HeapDumpReports> heap_dumps() const;
  std::shared_ptr<HeapDumpReports> replace_heap_dumps(std::shared_ptr<HeapDumpReports> fresh);
  // Lock held in all of these.
  void write_all(JNIEnv* jni, const char* reason, bool oom);
  bool into_files() const { return (files_ && files_->any()) || !at_end_.empty(); }
  // nullopt: there is nothing to write.
  std::optional<ReportData> take_records(JNIEnv* jni, const char* reason);
  void write_records(const ReportData& data, bool oom);

  const HandlerContext& context_;
  const ReportOptions& options_;
  const std::function<bool()> asked_for_times_;
  const std::int64_t pid_;
  const std::int64_t load_time_;
  ReportAssembly& assembly_;
  FollowedObjects& followed_;
  const MakeHeapDumps make_heap_dumps_;
  ReportHandlers handlers_;
  // Writes reports during the run; started once there are files to write.
  AgentThread reporter_;
  std::atomic<bool> reporter_runs_{false};

  std::mutex mutex_;   // one report at a time; guards what follows
  bool none_ = false;  // dump=none
  std::unique_ptr<ReportFiles> files_;
  std::vector<ReportAtEndRequest> at_end_;

  // Changed under both locks. Null: dump= has no heap dump. A thread with an OutOfMemoryError waits
  // on this object, and a later dump= may replace it meanwhile.
  mutable std::mutex heap_dumps_mutex_;
  std::shared_ptr<HeapDumpReports> heap_dumps_;

  // cpu= or monitor= is on: there are times to report even where nothing is tracked.
  std::atomic<bool> timed_{false};
  std::atomic<bool> oom_seen_{false};
  std::atomic<bool> oom_due_{false};
  std::atomic<bool> dying_{false};
};

}  // namespace ddm
