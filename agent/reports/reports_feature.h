// The agent's own reports: those of dump= and every=, and those that servers request.
#pragma once

#include <functional>

#include "core/feature.h"
#include "reports/report_handlers.h"
#include "reports/report_options.h"
#include "reports/run_reports.h"
#include "vm/vm_events.h"
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
        timed_(std::move(timed)),
        reports_(context.jvmti, static_cast<std::int32_t>(pid), load_time, assembly, followed,
                 std::move(make_heap_dumps)),
        handlers_(context, assembly, followed) {}

  void add_chunks(Dispatcher& dispatcher) override { handlers_.add_to(dispatcher); }
  void apply_options(JNIEnv* jni, const GivenOptions& given) override;
  void started() override;
  void session_ended(const SessionPtr& session) override { handlers_.disconnected(session); }
  void end() override;
  void end_after_servers() override { handlers_.close(); }
  bool write_final_reports(JNIEnv* jni, bool complete) override;

 private:
  void resource_exhausted(jint flags) override { reports_.resource_exhausted(flags); }

  const HandlerContext& context_;
  const ReportOptions& options_;
  const std::function<bool()> timed_;
  RunReports reports_;
  ReportHandlers handlers_;
};

}  // namespace ddm
