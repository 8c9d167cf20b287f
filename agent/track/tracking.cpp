#include "track/tracking.h"

#include <chrono>
#include <unordered_set>

#include "jvm/jvmti_error.h"
#include "jvm/jvmti_memory.h"
#include "log.h"
#include "track/tracker_natives.h"

namespace ddm {
namespace {

std::int64_t steady_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

std::int64_t wall_clock_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

std::unique_ptr<Tracking> Tracking::create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts) {
  const LocalRef<jclass> thread_class(jni, jni->FindClass("java/lang/Thread"));
  const jfieldID thread_id_field =
      thread_class ? jni->GetFieldID(thread_class.get(), "tid", "J") : nullptr;
  LocalRef<jobject> current(jni, nullptr);
  if (clear_exception(jni) || thread_id_field == nullptr ||
      jvmti->GetCurrentThread(current.out()) != JVMTI_ERROR_NONE) {
    log_error("java.lang.Thread is not as expected; no allocation tracking in this VM");
    return nullptr;
  }
  auto allocated = AllocatedBytes::create(jni, current.get());
  if (!allocated) log_warn("this VM shows no allocated-bytes counters: unattributed is unknown");
  return std::unique_ptr<Tracking>(
      new Tracking(jvmti, thread_id_field, std::move(allocated), std::move(facts)));
}

Tracking::Tracking(jvmtiEnv* jvmti, jfieldID thread_id_field,
                   std::optional<AllocatedBytes> allocated, VmFacts facts)
    : jvmti_(jvmti),
      facts_(std::move(facts)),
      books_(jvmti, thread_id_field, std::move(allocated)),
      thread_names_(jvmti, thread_id_field),
      stacks_(jvmti),
      recorder_(jvmti, thread_id_field, names_, books_, thread_names_, stacks_, rewritten_),
      vm_engine_(jvmti, recorder_, books_),
      bci_engine_(jvmti, recorder_, rewritten_) {
  set_tracker_engine(&bci_engine_);
}

bool Tracking::use(const TrackingOptions& options) {
  const std::lock_guard lock(mutex_);
  const bool at_once = !on_ || options == options_;
  options_ = options;
  return at_once;
}

std::string Tracking::start(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (on_) return "";
  if (!ring_ || ring_->capacity() != options_.records || ring_->depth() != options_.depth) {
    std::shared_ptr<AllocRing> ring = AllocRing::create(options_.records, options_.depth);
    if (!ring) {
      return fmt::format("no memory for {} records of {} frames", options_.records, options_.depth);
    }
    ring_ = std::move(ring);
    recorder_.use_ring(ring_);
  }
  ring_->clear();
  recorder_.clear_dropped();
  vm_engine_.set_interval(options_.interval);
  Engine* engine = &vm_engine_;
  if (options_.engine == EngineKind::kBci) engine = &bci_engine_;
  std::string error = engine->prepare(jni);
  if (!error.empty()) return error;
  engine_ = engine;
  books_.start(jni);
  error = engine_->start(jni);
  if (!error.empty()) {
    books_.stop();
    return error;
  }
  started_ms_ = steady_ms();
  on_ = true;
  ever_on_ = true;
  log_info("tracking on, engine={}, {} records of {} frames", engine_->name(), options_.records,
           options_.depth);
  return "";
}

std::string Tracking::stop(JNIEnv* jni) {
  const std::lock_guard lock(mutex_);
  if (!on_) return "";
  const std::string error = engine_->stop(jni);
  if (!error.empty()) return error;
  books_.stop();
  stopped_ms_ = steady_ms();
  on_ = false;
  log_info("tracking off");
  return "";
}

void Tracking::arm_current_thread(JNIEnv* jni) {
  if (on_ && engine_ == &vm_engine_) vm_engine_.arm_current_thread(jni);
}

std::int64_t Tracking::tracked_ms() const {
  if (!ever_on_) return 0;
  return (on_ ? steady_ms() : stopped_ms_) - started_ms_;
}

ReportData Tracking::report(JNIEnv* jni, std::string reason) {
  const std::lock_guard lock(mutex_);
  ReportData data;
  data.names = &names_;
  if (ring_) data.records = ring_->snapshot();

  ReportSummary& summary = data.summary;
  ThreadBooks::Totals totals = books_.totals();
  std::unordered_set<std::int64_t> wanted;
  for (std::size_t i = 0; i < data.records.size(); ++i) {
    wanted.insert(data.records[i].record.thread_id);
  }
  for (const ThreadBytes& thread : totals.threads) wanted.insert(thread.thread_id);
  data.thread_names = thread_names_.read(jni, wanted);
  for (ThreadBytes& thread : totals.threads) {
    const auto name = data.thread_names.find(thread.thread_id);
    if (name != data.thread_names.end()) thread.name = name->second;
  }

  summary.pid = facts_.pid;
  summary.app = facts_.app;
  summary.vm = facts_.vm;
  summary.engine = engine_ != nullptr ? engine_->name() : "";
  summary.walker = stacks_.name();
  summary.seen = totals.seen;
  summary.seen_bytes = totals.seen_bytes;
  summary.unattributed_bytes = totals.unattributed_bytes;
  summary.threads = std::move(totals.threads);
  summary.dropped_reasons = recorder_.dropped();
  for (const auto& [why, count] : summary.dropped_reasons) summary.dropped += count;
  if (engine_ != nullptr) {
    EngineCounters counters = engine_->counters();
    summary.classes_rewritten = counters.classes_rewritten;
    summary.classes_skipped = std::move(counters.classes_skipped);
    summary.methods_skipped = std::move(counters.methods_skipped);
  }
  summary.tracked_ms = tracked_ms();
  summary.written_ms = wall_clock_ms();
  summary.reason = std::move(reason);
  return data;
}

void Tracking::sampled_object_alloc(JNIEnv* jni, jthread thread, jclass klass,
                                    jlong size) noexcept {
  vm_engine_.sampled_object_alloc(jni, thread, klass, size);
}

void Tracking::thread_started(JNIEnv* jni, jthread thread) { books_.thread_started(jni, thread); }

void Tracking::thread_ending(JNIEnv* jni, jthread thread) {
  books_.thread_ending(jni);
  if (on_) thread_names_.thread_ending(jni, thread);
}

}  // namespace ddm
