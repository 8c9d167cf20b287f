#include "reports/reports_feature.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "core/exit_limits.h"
#include "core/log.h"
#include "report/below_method.h"
#include "report/report_time.h"
#include "vm/jvmti_error.h"
#include "vm/vm_log.h"

namespace ddm {
namespace {

thread_local bool t_writes_reports = false;

// Whether the room for classes is exhausted (metaspace.cpp), of which each loaded class is an object.
// Running out of threads, and an array of more than the VM's limit, are no matter of what was allocated.
bool is_of_classes(const char* description) {
  const std::string_view text = description != nullptr ? description : "";
  return text == "Metaspace" || text == "Compressed class space";
}

}  // namespace

void ReportsFeature::apply_options(JNIEnv* jni, const GivenOptions&) {
  if (asked_for_times_()) timed_ = true;
  if (!use_options(jni)) return;
  keep_jvmti_log_off_stdout(jni);
  listen_to(JVMTI_EVENT_RESOURCE_EXHAUSTED, *this);
  const jvmtiError error = context_.jvmti->SetEventNotificationMode(
      JVMTI_ENABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED, nullptr);
  if (error != JVMTI_ERROR_NONE) {
    log_error("no report at an OutOfMemoryError: {}", jvmti_error_name(error));
  }
}

bool ReportsFeature::use_options(JNIEnv* jni) {
  if (!options_.dumps.empty() || options_.dump_none) {
    const std::lock_guard lock(mutex_);
    none_ = options_.dump_none;
    files_ = std::make_unique<ReportFiles>(options_.dumps, pid_, load_time_);
    files_->check();
    std::shared_ptr<HeapDumpReports> fresh;
    if (const auto& paths = files_->heap_dumps(); !paths.empty()) {
      fresh = std::make_shared<HeapDumpReports>(make_heap_dumps_(), jni, paths, followed_);
    }
    // No dump is in progress, since the lock is held.
    if (const auto former = replace_heap_dumps(std::move(fresh))) former->retire(jni);
  }
  const bool into_any = (files_ && files_->any()) || heap_dumps();
  const std::int64_t seconds = options_.every_seconds.value_or(0);
  if (!into_any && seconds > 0) log_error("every={} has no effect without dump=PATH", seconds);
  if (into_any && !reporter_runs_) {
    const std::string error = reporter_.start(jni);
    if (!error.empty()) log_error("starting the agent's thread: {}", error);
    reporter_runs_ = error.empty();
  }
  // Options not named by a later string keep their value; without a report nothing is rewritten.
  if (options_.every_seconds || !into_any) {
    const std::chrono::seconds period(into_any ? seconds : 0);
    reporter_.every(period, [this](JNIEnv* on_reporter) { write(on_reporter, "every", false); });
  }
  return into_any;
}

void ReportsFeature::started() {
  if (options_.dumps.empty()) return;
  const std::lock_guard lock(mutex_);
  const std::string why = heap_dumps_ ? followed_.why_none() : "";
  if (why.empty()) return;
  log_warn("dump={}: it will be without the stacks of allocations: {}",
           files_->heap_dumps().front(), why);
}

void ReportsFeature::write(JNIEnv* jni, const char* reason, bool oom) {
  const std::lock_guard lock(mutex_);
  t_writes_reports = true;
  write_all(jni, reason, oom);
  t_writes_reports = false;
}

void ReportsFeature::write_all(JNIEnv* jni, const char* reason, bool oom) {
  if (oom) {
    if (!oom_due_.exchange(false)) return;
  } else if (dying_ && std::string_view(reason) != "exit") {
    return;  // only the exit's report follows
  }
  const std::optional<ReportData> data = take_records(jni, reason);
  // At an OutOfMemoryError the heap dump comes first, since a thread waits for it.
  if (heap_dumps_ && oom) heap_dumps_->write(jni, oom, dying_);
  if (data) write_records(*data, oom);
  // The heap is dumped once, not periodically.
  if (heap_dumps_ && !oom && std::string_view(reason) != "every") {
    heap_dumps_->write(jni, oom, dying_);
  }
}

std::optional<ReportData> ReportsFeature::take_records(JNIEnv* jni, const char* reason) {
  if (!assembly_.has_figures() && !timed_) return std::nullopt;
  if (!into_files() && (none_ || heap_dumps_)) return std::nullopt;
  std::optional<ReportData> data = assembly_.report(jni, reason);
  if (!data) log_error("no report at the end: tracking was just being switched");
  return data;
}

void ReportsFeature::write_records(const ReportData& data, bool oom) {
  for (const ReportAtEndRequest& wanted : at_end_) {
    const auto format = report_format_of(wanted.path);  // checked when the path was accepted
    std::optional<ReportData> part;
    if (!wanted.below.empty()) keep_below(part.emplace(data), wanted.below);
    if (!format) continue;
    const auto error = write_report_file(wanted.path, *format, part ? *part : data);
    if (error) log_error("{}", error->message);
  }
  if (files_ && files_->any()) return files_->write(data, oom);
  if (none_ || heap_dumps()) return;
  const std::string time = timed_ ? time_summary(data) : std::string();
  const auto lines = static_cast<std::size_t>(std::ranges::count(time, '\n'));
  if (data.tracking_on) write_stderr(summary_report(data, kSummaryLines - lines));
  write_stderr(time);
}

void ReportsFeature::resource_exhausted(jint flags, const char* description) {
  const bool of_heap = (flags & JVMTI_RESOURCE_EXHAUSTED_JAVA_HEAP) != 0;
  if (!of_heap && !is_of_classes(description)) return;
  if (oom_seen_.exchange(true)) return;
  oom_due_ = true;
  if (!reporter_runs_) return;
  const bool posted = reporter_.post([this](JNIEnv* jni) { write(jni, "OutOfMemoryError", true); });
  // The objects that fill the heap may be reachable from this thread's frames only.
  const auto dumps = heap_dumps();
  if (posted && dumps && !t_writes_reports) dumps->await_oom();
}

std::shared_ptr<HeapDumpReports> ReportsFeature::heap_dumps() const {
  const std::lock_guard lock(heap_dumps_mutex_);
  return heap_dumps_;
}

std::shared_ptr<HeapDumpReports> ReportsFeature::replace_heap_dumps(
    std::shared_ptr<HeapDumpReports> fresh) {
  const std::lock_guard lock(heap_dumps_mutex_);
  return std::exchange(heap_dumps_, std::move(fresh));
}

void ReportsFeature::end() {
  dying_ = true;
  handlers_.begin_close();
}

bool ReportsFeature::write_final_reports(JNIEnv* jni, bool complete) {
  dying_ = true;
  std::vector<ReportAtEndRequest> at_end = handlers_.paths_at_end();
  bool ended = reporter_.stop(exit_limits::kReportLimit);
  const auto limit = std::chrono::steady_clock::now() + exit_limits::kHeapDumpLimit;
  const auto dumps = heap_dumps();
  while (!ended && dumps && dumps->is_writing() && std::chrono::steady_clock::now() < limit) {
    ended = reporter_.stop(exit_limits::kReportLimit);
  }
  if (ended) {
    if (oom_due_) write(jni, "OutOfMemoryError", true);
    {
      const std::lock_guard lock(mutex_);
      at_end_ = std::move(at_end);
    }
    write(jni, "exit", false);
  } else {
    log_error("the last report is left out: another one is still being written");
  }
  if (dumps) dumps->close();
  return ended && complete;
}

}  // namespace ddm
