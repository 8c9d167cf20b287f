#include "reports/heap_dump_reports.h"

#include <utility>

#include "core/exit_limits.h"
#include "core/log.h"
#include "reports/report_files.h"

namespace ddm {

HeapDumpReports::HeapDumpReports(std::unique_ptr<HeapDumps> dumps, JNIEnv* jni,
                                 std::vector<std::string> paths, FollowedObjects& followed)
    : paths_(std::move(paths)), followed_(followed), dumps_(std::move(dumps)) {
  for (const std::string& path : paths_) {
    for (const std::string& one : {path, oom_path_of(path)}) {
      // A missing directory has been told (ReportFiles::check), and write() tries again.
      if (const auto error = dumps_->prepare(jni, one))
        log_info("dump={}: {}", one, error->message);
    }
  }
}

void HeapDumpReports::write(JNIEnv* jni, bool oom, bool dying) {
  if (dying) dumps_->vm_dies();
  for (const std::string& path : paths_) {
    if (jni == nullptr) {
      log_error("{} is not written: the VM cannot be asked any more", path);
    } else if (oom) {
      write_file(jni, oom_path_of(path), [&] {
        if (&path == &paths_.back()) oom_is_dumped();
      });
    } else {
      write_file(jni, path, {});
    }
  }
  if (oom) oom_is_dumped();
}

void HeapDumpReports::await_oom() {
  constexpr std::chrono::seconds kOomPatience{10};  // for the full collection before the dump
  const auto limit = std::chrono::steady_clock::now() + exit_limits::kHeapDumpLimit;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kOomPatience, [this] { return oom_dumped_; })) {
    if (!dumps_->is_writing() || std::chrono::steady_clock::now() > limit) return;
  }
}

void HeapDumpReports::oom_is_dumped() {
  const std::lock_guard lock(mutex_);
  oom_dumped_ = true;
  changed_.notify_all();
}

void HeapDumpReports::retire(JNIEnv* jni) {
  dumps_->forget_prepared(jni);
  oom_is_dumped();
}

void HeapDumpReports::close() {
  dumps_->close();
  oom_is_dumped();
}

void HeapDumpReports::write_file(JNIEnv* jni, const std::string& path,
                                 const std::function<void()>& dumped) {
  HoldObjects hold;
  if (const std::string why = followed_.why_none(); why.empty()) {
    hold = [this](JNIEnv* held) { return followed_.hold(held); };
  } else {
    log_warn("{} is without the stacks of allocations: {}", path, why);
  }
  const auto written = dumps_->write(jni, path, hold, HeapDumps::Existing::kReplaced, dumped);
  if (written) return log_info("wrote {}: {} objects with their stack", path, *written);
  const std::string fallback = fallback_path_of(path);
  const auto again = dumps_->write(jni, fallback, hold, HeapDumps::Existing::kReplaced, dumped);
  if (again) {
    log_error("cannot write {}; written to {} instead", written.message(), fallback);
  } else {
    log_error("cannot write {}; cannot write {}", written.message(), again.message());
  }
}

}  // namespace ddm
