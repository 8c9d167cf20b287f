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
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "allocations/capture/bci_engine.h"
#include "allocations/capture/engine.h"
#include "allocations/capture/live_objects.h"
#include "allocations/capture/recorder.h"
#include "allocations/capture/thread_books.h"
#include "allocations/capture/thread_names.h"
#include "allocations/capture/vm_engine.h"
#include "allocations/store/current_ring.h"
#include "allocations/store/ring_file.h"
#include "allocations/tracking_options.h"
#include "report/hprof/hprof_sites_dump.h"
#include "report/report.h"
#include "stack/jvmti_stack_capture.h"
#include "stack/name_sweep.h"
#include "stack/names/name_table.h"
#include "stack/stack_naming.h"
#include "stack/vm_stack_capture.h"
#include "vm/vm_facts.h"

namespace ddm {

class Tracking {
 public:
  // Live phase. Null with a line in the log when the VM lacks what is needed.
  static std::unique_ptr<Tracking> create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts);

  // What start() starts, whoever calls it. False: tracking is on, and goes on as it is until it is
  // started again. Not so `live`: it holds from now on, and what goes wrong with it is logged.
  bool use(JNIEnv* jni, const TrackingOptions& options);

  // Rewrites classes for engine=bci now, so that a later start() misses no method that runs then.
  std::string prepare_hooks(JNIEnv* jni);

  // Both return "" or what went wrong, and leave things as they were in that case.
  std::string start(JNIEnv* jni);
  std::string stop(JNIEnv* jni);

  // Before the first start(): the ring and all names that its records need are kept in this file.
  void keep_in(std::unique_ptr<RingFile> file);
  // The figures of the summary in that file as they are now. No thread of Java's is needed.
  void refresh_ring_file();

  // Nobody needs that file any more.
  void remove_ring_file() {
    if (ring_file_) ring_file_->remove();
  }

  // At the VM's death, instead of stop(): nothing is recorded any more, nothing is put back.
  void close() {
    recorder_.close();
    live_.close();
    closed_ = true;
  }

  // Where work goes that is nothing for the program's threads; before the first start(). Without
  // it names are kept for good.
  using Background = std::function<void(std::function<void(JNIEnv*)>)>;
  void work_in(const Background& background);

  // What else goes into every report, and which names it needs. Lives as long as this does.
  void include(TimeDataSource& source);
  // Their figures begin anew.
  void forget_time();
  // For their stacks. Attached threads.
  StackNaming naming(JNIEnv* jni);
  NameTable& names() { return names_; }

  bool on() const { return on_; }
  // True once tracking was ever on: there is something to report.
  bool has_records() const { return ever_on_; }

  ReportData report(JNIEnv* jni, std::string reason);
  // Of that, what is recorded and the names it speaks of.
  ReportData records() const;
  bool follows_live() const { return live_.on(); }
  // Why live= was asked for and nothing is followed, or "".
  std::string not_followed() const;
  // Of those that are followed, for a heap dump: they stay where they are reachable from, each by a
  // strong handle of ours, until the caller deletes these. None: nothing is followed.
  std::optional<DumpSites> hold_live(JNIEnv* jni);
  // The same on any thread and whatever state the VM is in, with the threads' names as they were
  // when they were last heard of. None: start() or stop() is going on and does not come to an end.
  std::optional<ReportData> report_without_vm(std::string reason);

  // JVMTI's events, on the thread concerned.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni, jthread thread);

 private:
  Tracking(jvmtiEnv* jvmti, JNIEnv* jni, jobject current, const ThreadNames::Fields& fields,
           std::optional<AllocatedBytes> allocated, VmFacts facts);
  void choose_walker();
  void watch_pauses(JNIEnv* jni);
  void pause_recorder();
  std::int64_t tracked_ms() const;
  // Prepares the engine that the options name, or the other one; null with the reason in `error`.
  Engine* prepare_engine(JNIEnv* jni, std::string& error);
  void sweep_names(JNIEnv* jni);
  void renew_sites();
  void follow_live(JNIEnv* jni);
  ReportData report_now(JNIEnv* jni, std::string reason);  // null: without the VM
  void write_ring_facts();

  const VmFacts facts_;
  std::unique_ptr<RingFile> ring_file_;
  std::unique_ptr<RingNames> ring_file_names_;
  TrackingOptions options_;
  NameTable names_;
  ThreadBooks books_;
  ThreadNames thread_names_;
  RewrittenMethods rewritten_;
  Reclamation reclamation_;
  CurrentRing ring_{reclamation_};
  SeenMethods methods_;
  JvmtiStackCapture jvmti_stacks_;
  Result<std::unique_ptr<VmStackCapture>> vm_stacks_;
  CurrentThread current_thread_;
  ObjectFacts objects_;
  LiveObjects live_;
  Recorder recorder_;
  NameSweep name_sweep_;
  VmEngine vm_engine_;
  BciEngine bci_engine_;

  std::vector<TimeDataSource*> time_sources_;

  mutable std::timed_mutex mutex_;  // of start, stop, report and the sweep of names
  Engine* engine_ = nullptr;        // the one in use, or that was last in use
  std::uint32_t live_now_ = 0;      // as in the options, of what goes on
  std::string sites_missing_;       // why nothing is counted by site, or ""
  std::string not_followed_;        // why live= was asked for and is off, or ""
  std::int64_t interval_ = 0;       // of engine=vm, since it was last switched on
  std::int64_t started_ms_ = 0;
  std::int64_t stopped_ms_ = 0;
  bool pauses_watched_ = false;
  std::int64_t period_ = 0;  // 1, 2, ...: the one that figures are of
  std::atomic<bool> closed_{false};
  std::atomic<bool> on_{false};
  std::atomic<bool> ever_on_{false};
};

// That nothing is followed, and what to do. `tracking` may be null: this VM cannot be tracked.
std::string live_is_off(const Tracking* tracking);

}  // namespace ddm
