#include "report/assembly/report_assembly.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ddm {
namespace {

// For whoever is making a report when the process ends.
constexpr std::chrono::seconds kPatience{1};

std::int64_t wall_clock_now_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

void ReportAssembly::include(TimeDataSource& source) {
  time_.push_back(&source);
  stacks_.add_user(source);
}

bool ReportAssembly::has_figures() const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [](const ReportPart* part) { return part->has_figures(); });
}

std::optional<ReportData> ReportAssembly::report(JNIEnv* jni, std::string reason) {
  // Without the VM the thread that has the lock may never come back.
  std::unique_lock lock(mutex_, std::defer_lock);
  if (jni != nullptr) {
    lock.lock();
  } else if (!lock.try_lock_for(kPatience)) {
    return std::nullopt;
  }
  ReportData data;
  data.names = &stacks_.names();
  data.names_held = stacks_.names().hold();
  data.summary.pid = facts_.pid;
  data.summary.app = facts_.app;
  data.summary.vm = facts_.vm;
  data.summary.process_start = facts_.process_start;
  data.summary.walker = stacks_.chosen().name();
  for (ReportPart* part : parts_) {
    if (!part->add_to(data, jni)) return std::nullopt;
  }
  for (TimeDataSource* source : time_) source->add_to(data.time);
  data.summary.written_ms = wall_clock_now_ms();
  data.summary.reason = std::move(reason);
  return data;
}

void ReportAssembly::forget_time() {
  const std::lock_guard lock(mutex_);
  for (TimeDataSource* source : time_) source->forget();
}

}  // namespace ddm
