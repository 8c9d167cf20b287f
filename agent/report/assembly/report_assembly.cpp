#include "report/assembly/report_assembly.h"

#include <algorithm>
#include <utility>

#include "core/clocks.h"
#include "vm/thread_list.h"

namespace ddm {
namespace {

// A report of so many takes tens of MB, which malloc would keep.
constexpr std::size_t kManySites = 16'384;
constexpr int kTrims = 4;  // after 1, 3, 7 and 15 s

}  // namespace

std::unique_lock<std::timed_mutex> lock_for_report(std::timed_mutex& mutex, JNIEnv* jni) {
  constexpr std::chrono::seconds kPatience{1};
  if (jni != nullptr) return std::unique_lock(mutex);
  return std::unique_lock(mutex, kPatience);
}

void ReportAssembly::include(TimeDataSource& source) {
  time_.push_back(&source);
  stacks_.add_user(source);
}

bool ReportAssembly::has_figures() const {
  return std::ranges::any_of(parts_, &ReportPart::has_figures);
}

std::optional<ReportData> ReportAssembly::report(JNIEnv* jni, std::string reason) {
  const auto lock = lock_for_report(mutex_, jni);
  if (!lock) return std::nullopt;
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
  if (jni != nullptr && !data.time.waiting.empty()) {
    auto names = names_of_threads(stacks_.jvmti(), jni);
    for (OngoingWait& wait : data.time.waiting) wait.thread = names[wait.thread_id];
  }
  data.summary.written_ms = epoch_ms();
  const bool last = jni == nullptr || reason == "exit";
  if (!last && data.sites.size() >= kManySites) freed_memory_.expect(kTrims);
  data.summary.reason = std::move(reason);
  return data;
}

void ReportAssembly::forget_time() {
  const std::lock_guard lock(mutex_);
  for (TimeDataSource* source : time_) source->forget();
}

}  // namespace ddm
