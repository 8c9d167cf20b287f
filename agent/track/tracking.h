// Allocation tracking as a whole: on, off, status, and what was recorded. The one place that owns
// engine, ring, names and books.
//
// start(), stop() and report() may come from any attached thread; they exclude each other. Tracking
// belongs to the program, not to whoever switched it on: on while on keeps the ring, off keeps the
// records readable until the next on.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "jvm/vm_facts.h"
#include "options.h"
#include "records/alloc_ring.h"
#include "records/name_table.h"
#include "records/report.h"
#include "track/bci_engine.h"
#include "track/engine.h"
#include "track/recorder.h"
#include "track/stack_capture.h"
#include "track/thread_books.h"
#include "track/thread_names.h"
#include "track/vm_engine.h"

namespace ddm {

struct TrackingOptions {
  EngineKind engine = EngineKind::kBci;
  std::int64_t interval = 0;
  std::uint32_t records = kDefaultRecords;
  std::uint32_t depth = kDefaultDepth;
  friend bool operator==(const TrackingOptions&, const TrackingOptions&) = default;
};

class Tracking {
 public:
  // Live phase. Null with a line in the log when the VM lacks what is needed.
  static std::unique_ptr<Tracking> create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts);

  // What start() starts, whoever calls it. False: tracking is on, and goes on as it is until it is
  // started again.
  bool use(const TrackingOptions& options);

  // Both return "" or what went wrong, and leave things as they were in that case.
  std::string start(JNIEnv* jni);
  std::string stop(JNIEnv* jni);

  // At the VM's death, instead of stop(): nothing is recorded any more, nothing is put back.
  void close() { recorder_.close(); }

  bool on() const { return on_; }
  // True once tracking was ever on: there is something to report.
  bool has_records() const { return ever_on_; }

  // After start() at VMInit: the first object of the program's main thread is seen too.
  void arm_current_thread(JNIEnv* jni);

  ReportData report(JNIEnv* jni, std::string reason);

  // JVMTI events, on the thread concerned.
  void sampled_object_alloc(JNIEnv* jni, jthread thread, jclass klass, jlong size) noexcept;
  BciEngine& bci_engine() { return bci_engine_; }
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni, jthread thread);

 private:
  Tracking(jvmtiEnv* jvmti, jfieldID thread_id_field, std::optional<AllocatedBytes> allocated,
           VmFacts facts);
  std::int64_t tracked_ms() const;

  jvmtiEnv* const jvmti_;
  const VmFacts facts_;
  TrackingOptions options_;
  NameTable names_;
  ThreadBooks books_;
  ThreadNames thread_names_;
  JvmtiStackCapture stacks_;
  RewrittenMethods rewritten_;
  Recorder recorder_;
  VmEngine vm_engine_;
  BciEngine bci_engine_;

  std::mutex mutex_;  // of start, stop and report
  std::shared_ptr<AllocRing> ring_;
  Engine* engine_ = nullptr;  // the one in use, or that was last in use
  std::int64_t started_ms_ = 0;
  std::int64_t stopped_ms_ = 0;
  std::atomic<bool> on_{false};
  std::atomic<bool> ever_on_{false};
};

}  // namespace ddm
