// Allocation tracking as a whole: on, off, status, and what was recorded. The one place that owns
// engines, ring and books.
//
// start(), stop() and what makes reports may come from any attached thread; they exclude each other. Tracking
// belongs to the program, not to whoever switched it on: on while on keeps the ring, off keeps the
// records readable until the next on.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
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
#include "report/assembly/followed_objects.h"
#include "report/assembly/report_assembly.h"
#include "stack/names/names_user.h"
#include "stack/stacks.h"
#include "vm/vm_facts.h"

namespace ddm {

class Tracking final : public ReportPart, public FollowedObjects, private NamesUser {
 public:
  // Live phase. Null with a line in the log when the VM lacks what is needed.
  static std::unique_ptr<Tracking> create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts,
                                          Stacks& stacks);

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
  void vm_ends() { live_.vm_ends(); }
  void close() {
    recorder_.close();
    live_.close();
    closed_ = true;
  }

  bool on() const { return on_; }

  // Those parts of a report that are of allocations. Their figures are of one moment.
  // True once tracking was ever on.
  bool has_figures() const override { return ever_on_; }
  bool add_to(ReportData& data, JNIEnv* jni) override;
  // Of that, what is recorded and the names it speaks of.
  ReportData records() const;

  std::optional<DumpSites> hold(JNIEnv* jni) override;
  std::string why_none() const override;

  // JVMTI's events, on the thread concerned.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni, jthread thread);

 private:
  Tracking(jvmtiEnv* jvmti, JNIEnv* jni, jobject current, const ThreadNames::Fields& fields,
           std::optional<AllocatedBytes> allocated, VmFacts facts, Stacks& stacks);
  void pause_recorder();
  std::int64_t tracked_ms() const;
  // Prepares the engine that the options name, or the other one; null with the reason in `error`.
  Engine* prepare_engine(JNIEnv* jni, std::string& error);
  void add_names(NamesInUse& used) override;
  void renew_sites();
  void follow_live(JNIEnv* jni);
  // Lock held, both.
  void add_records(ReportData& data, JNIEnv* jni);
  void add_engine(ReportSummary& summary, JNIEnv* jni);
  void write_ring_facts();

  const VmFacts facts_;
  Stacks& stacks_;
  std::unique_ptr<RingFile> ring_file_;
  std::unique_ptr<RingNames> ring_file_names_;
  TrackingOptions options_;
  ThreadBooks books_;
  ThreadNames thread_names_;
  CurrentRing ring_{stacks_.reclamation()};
  CurrentThread current_thread_;
  ObjectFacts objects_;
  LiveObjects live_;
  Recorder recorder_;
  VmEngine vm_engine_;
  BciEngine bci_engine_;

  mutable std::timed_mutex mutex_;  // of start, stop and reports
  Engine* engine_ = nullptr;        // the one in use, or that was last in use
  std::uint32_t live_now_ = 0;      // as in the options, of what goes on
  std::string sites_missing_;       // why nothing is counted by site, or ""
  std::string not_followed_;        // why live= was asked for and is off, or ""
  std::int64_t interval_ = 0;       // of engine=vm, since it was last switched on
  std::int64_t started_ms_ = 0;
  std::int64_t stopped_ms_ = 0;
  std::int64_t period_ = 0;  // 1, 2, ...: the one that figures are of
  std::atomic<bool> closed_{false};
  std::atomic<bool> on_{false};
  std::atomic<bool> ever_on_{false};
};

}  // namespace ddm
