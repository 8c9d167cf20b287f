// Allocation tracking: on, off, status, and the recorded data. Owns engines, ring and books.
//
// start(), stop() and report functions may be called on any attached thread; they are serialized.
// Tracking belongs to the program, not to the client that switched it on: switching on while on
// keeps the ring, switching off keeps the records until the next on.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "allocations/capture/bci_engine.h"
#include "allocations/capture/engine.h"
#include "allocations/capture/live_objects.h"
#include "allocations/capture/recorder.h"
#include "allocations/capture/thread_books.h"
#include "allocations/capture/thread_names.h"
#include "allocations/capture/vm_engine.h"
#include "allocations/scopes/scope_figures.h"
#include "allocations/scopes/scopes.h"
#include "allocations/store/current_ring.h"
#include "allocations/store/ring_file.h"
#include "allocations/tracking_options.h"
#include "core/chores.h"
#include "report/assembly/heap_dumps.h"
#include "report/assembly/report_assembly.h"
#include "stack/names/name_table.h"
#include "stack/stacks.h"
#include "vm/vm_facts.h"

namespace ddm {

class Tracking final : public ReportPart, public FollowedObjects, private NamesUser {
 public:
  // Live phase. Null, and logged, if the VM lacks what is needed.
  static std::unique_ptr<Tracking> create(jvmtiEnv* jvmti, JNIEnv* jni, VmFacts facts,
                                          Stacks& stacks);

  // Options for the next start(). False: tracking is on, and continues unchanged until it is
  // started again. Except `live`, which takes effect at once; errors of it are logged.
  bool use(JNIEnv* jni, const TrackingOptions& options);

  // Rewrites classes for engine=bci now, so that a later start() misses no active method.
  std::string prepare_hooks(JNIEnv* jni);

  // Both return "" or the error, in which case nothing has changed.
  std::string start(JNIEnv* jni);
  std::string stop(JNIEnv* jni);

  // Call before the first start(): keeps the ring and all names of its records in this file, and
  // updates its summary while the program runs.
  void keep_in(std::unique_ptr<RingFile> file);
  void remove_ring_file();  // never blocks

  // Before the VM's death: ends the events of engine=vm, whose figures stay as they are.
  void vm_halts();
  // At the VM's death, instead of stop(): ends recording and restores nothing.
  void vm_ends();
  void close() {
    recorder_.close();
    live_.close();
    closed_ = true;
  }

  bool on() const { return on_; }

  // The allocation part of a report; its figures are of one moment. has_figures(): tracking was
  // ever on.
  bool has_figures() const override { return ever_on_; }
  bool add_to(ReportData& data, JNIEnv* jni) override;
  // Of that, only the records and their names.
  ReportData records() const;

  std::optional<DumpSites> hold(JNIEnv* jni) override;
  std::string why_none() const override;

  // Enables scopes, for allocations by engine=bci; switches tracking on if it is off. "" or the
  // error, in words for people.
  std::string count_scopes(JNIEnv* jni);
  // On the scope's owner thread; 0: tracking is off. Everything else: scopes().
  ScopeNumber begin_scope(JNIEnv* jni, ScopeRoot root);
  Scopes& scopes() { return scopes_; }
  // Follows every new object from now on. False: not possible, which was logged.
  bool follow_scopes(JNIEnv* jni);
  // Live objects by site, as of the last collection. nullopt: unknown, which was logged.
  std::optional<LiveBySite> live_by_site();
  const NameTable& names() const { return stacks_.names(); }

  // Rewrites classes so that a later start_listener() misses no active method. "" or the error.
  std::string prepare_listener(JNIEnv* jni);
  // Reports every allocation to a class of the program from now on (ObjectListener); switches tracking
  // on if it is off. "" or the error, in words for people.
  std::string start_listener(JNIEnv* jni, jclass listener);
  ObjectListener& listener() { return recorder_.listener(); }

  // JVMTI events, on the thread concerned.
  void thread_started(JNIEnv* jni, jthread thread);
  void thread_ending(JNIEnv* jni, jthread thread);

 private:
  Tracking(jvmtiEnv* jvmti, JNIEnv* jni, jobject current, const ThreadNames::Fields& fields,
           std::optional<AllocatedBytes> allocated, VmFacts facts, Stacks& stacks);
  void switch_recording(JNIEnv* jni, bool on);
  void start_polling();
  std::int64_t tracked_ms() const;
  // Prepares the engine of the options, or the other one; null with the reason in `error`.
  Engine* prepare_engine(JNIEnv* jni, std::string& error);
  void add_names(NamesInUse& used) override;
  void renew_sites();
  void find_stacks_of_records();
  void follow_live(JNIEnv* jni);
  // Lock held in both.
  void add_records(ReportData& data, JNIEnv* jni);
  void add_engine(ReportSummary& summary, JNIEnv* jni);
  void write_ring_facts();
  void refresh_ring_file();

  jvmtiEnv* const jvmti_;
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
  Scopes scopes_;
  Recorder recorder_;
  VmEngine vm_engine_;
  BciEngine bci_engine_;

  mutable std::timed_mutex mutex_;  // serializes start, stop and reports
  Engine* engine_ = nullptr;        // the engine in use, or the last one
  std::uint32_t live_now_ = 0;      // the option in effect
  std::string sites_missing_;       // why sites are not counted, or ""
  std::string not_followed_;        // why live= was requested but is off, or ""
  std::int64_t interval_ = 0;       // of engine=vm, when last switched on
  std::int64_t started_ms_ = 0;
  std::int64_t stopped_ms_ = 0;
  std::int64_t period_ = 0;    // 1, 2, ...: number of the tracking period
  Chores::Handle poll_chore_;  // null: none
  std::atomic<bool> closed_{false}, halts_{false}, vm_ends_{false};
  std::atomic<bool> on_{false};
  std::atomic<bool> ever_on_{false};
};

}  // namespace ddm
