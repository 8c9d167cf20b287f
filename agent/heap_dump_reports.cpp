#include "heap_dump_reports.h"

#include <utility>

#include "log.h"
#include "report_files.h"

namespace ddm {

HeapDumpReports::HeapDumpReports(jvmtiEnv* jvmti, JNIEnv* jni, std::vector<std::string> paths,
                                 Tracking* tracking)
    : paths_(std::move(paths)), tracking_(tracking), dumper_(jvmti, figures_) {
  for (const std::string& path : paths_) {
    for (const std::string& one : {path, oom_path_of(path)}) {
      if (const auto error = dumper_.prepare(jni, one))
        log_warn("dump={}: {}", one, error->message);
    }
  }
}

void HeapDumpReports::write(JNIEnv* jni, bool oom, bool dying) {
  if (dying) dumper_.vm_dies();
  for (const std::string& path : paths_) {
    if (jni == nullptr) {
      log_error("{} is not written: the VM cannot be asked any more", path);
    } else {
      write_file(jni, oom ? oom_path_of(path) : path);
    }
  }
}

void HeapDumpReports::write_file(JNIEnv* jni, const std::string& path) {
  HoldObjects hold;
  if (tracking_ != nullptr && tracking_->follows_live()) {
    hold = [this](JNIEnv* held) { return tracking_->hold_live(held); };
  } else {
    log_warn("{} is without the stacks of allocations: {}", path, live_is_off(tracking_));
  }
  const auto written = dumper_.write(jni, path, hold, HeapDumper::Existing::kReplaced);
  if (written) return log_info("wrote {}: {} objects with their stack", path, *written);
  const std::string fallback = fallback_path_of(path);
  const auto again = dumper_.write(jni, fallback, hold, HeapDumper::Existing::kReplaced);
  if (again) {
    log_error("cannot write {}; written to {} instead", written.message(), fallback);
  } else {
    log_error("cannot write {}; {}", written.message(), again.message());
  }
}

}  // namespace ddm
