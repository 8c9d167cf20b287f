// Follows allocated objects: each, or one in N, gets a weak handle, and after a collection an agent
// thread checks which handles the collector has cleared.
//
// follow() runs on the program's threads, inside a Reading, and creates the handle, which goes with
// the allocation into the thread's journal and from there into the LiveTable of the Sites. Handles
// are checked on the agent's thread, on the thread that stops following, and for a heap dump.
// Handles of dead objects are deleted by the threads that create new ones, or by the agent's. The
// GC event only wakes the agent's thread. While nothing is followed there are no handles and no
// event; the thread ends soon, but not beside a jdwp agent (vm/agent_thread.h).
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "allocations/capture/thread_books.h"
#include "allocations/store/dead_handles.h"
#include "allocations/store/live_table.h"
#include "allocations/store/sites.h"
#include "core/freed_memory.h"
#include "core/reclamation.h"
#include "report/hprof/dumped_objects.h"
#include "report/report.h"
#include "vm/agent_thread.h"
#include "vm/gc_bell.h"

namespace ddm {

class LiveObjects {
 public:
  LiveObjects(jvmtiEnv* jvmti, ThreadBooks& books, Reclamation& reclamation);

  // start() and stop() must not overlap, which the caller ensures. From start() on, allocations at
  // the sites that the books count in are followed. "" or the error.
  std::string start(JNIEnv* jni, const AllocationSampling& sampling, std::uint32_t one_in);
  // Ends following and deletes all handles. Figures are kept as of the last collection, or dropped.
  // Does nothing if there is nothing to do.
  enum class Figures { kKeep, kDrop };
  void stop(JNIEnv* jni, Figures figures);
  // At VMDeath. From JDK 26 on the VM reports no collection after it.
  void vm_ends() {
    if (bell_ != nullptr) count_at_end_ = bell_->count();
  }
  // At the VM's death: ends the threads and changes nothing else.
  void close();

  // How objects are followed now; nullopt: they are not.
  std::optional<BooksSnapshot::Following> following() const {
    if (!on()) return std::nullopt;
    return BooksSnapshot::Following{began_ms_, one_in_ == 1};
  }

  bool on() const { return table_.load(std::memory_order_relaxed) != nullptr; }

  // Of an object that the calling thread has just allocated; null: without identity. In a Reading.
  struct Mark {
    std::uint64_t handle = 0;  // 0: not followed
    std::uint32_t born = 0;    // 0: not even excluded by sampling
    std::uint64_t gc = 0;      // number of pauses before
  };
  // `seq`: that of the object's record.
  Mark follow(JNIEnv* jni, jobject object, std::int64_t time_ms, std::uint64_t seq) noexcept {
    const LiveTable* table = table_.load(std::memory_order_acquire);
    if (table == nullptr) [[likely]]
      return {};
    if (seq % kDeadEvery == 0 && dead_.any()) [[unlikely]]
      delete_some_handles(jni);
    return follow(jni, object, time_ms, *table);
  }

  // Waits until the effects of all collections so far are known; false: timed out.
  bool settle(std::chrono::milliseconds patience);

  // For a heap dump, creates a strong handle for each followed object not known to be dead; the dump
  // lists these. The caller has requested a collection, and excludes start() and stop().
  void hold_strongly(JNIEnv* jni, DumpedObjects& held);

  std::int64_t followed_ms() const;  // duration so far
  // The totals over all sites.
  LiveSummary summary(std::uint64_t gc, const SiteLife& all) const;

 private:
  enum class Reason { kNoRoom, kNoMemory, kForeignHandle, kNoIdentity, kCount };
  struct Watch;  // what the agent's thread sweeps between one start() and its stop()

  Mark follow(JNIEnv* jni, jobject object, std::int64_t time_ms, const LiveTable& table) noexcept;
  bool is_sampled() const;
  void not_followed(Reason reason) {
    not_followed_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }
  void watch(JNIEnv* jni, Watch& watch);
  void sweep(JNIEnv* jni, Watch& watch);
  void wait_for_gc(JNIEnv* jni, Watch& watch);
  void delete_handles(JNIEnv* jni, std::span<const std::uint64_t> handles) const;
  void delete_some_handles(JNIEnv* jni) noexcept;
  static void note_peaks(const Watch& watch);
  void remove_handles(JNIEnv* jni, Sites& sites, LiveTable& table);
  void hold_strongly(JNIEnv* jni, const LiveStore::Chunks& chunks, DumpedObjects& held) const;
  // "" or the error.
  std::string begin_watch(JNIEnv* jni, std::shared_ptr<Watch> watch);
  // The table that it swept, or is still sweeping: the last watch has not ended within `patience`.
  std::shared_ptr<LiveTable> end_watch(std::chrono::milliseconds patience);

  static constexpr std::uint64_t kTagBits = 3;
  // A record in this many deletes more handles than were created since the last.
  static constexpr std::uint64_t kDeadEvery = DeadHandles::kAtOnce * 2 / 3;
  jweak weak(std::uint64_t number) const {
    return reinterpret_cast<jweak>(number << kTagBits | tag_);
  }
  bool is_dead(JNIEnv* jni, std::uint64_t number) const;

  jvmtiEnv* const jvmti_;
  ThreadBooks& books_;
  Reclamation& reclamation_;
  GcBell* bell_ = nullptr;
  std::atomic<std::uint64_t> count_at_end_{~0ul};  // the bell's, at VMDeath
  std::shared_ptr<Sites> sites_;                   // with figures
  std::uint32_t one_in_ = 1;
  std::int64_t began_ms_ = 0, ended_ms_ = 0;
  std::uint64_t tag_ = 0;                   // what the VM's weak handles have in their low bits
  bool value_objects_ = false;              // objects may have no identity
  bool plain_handles_ = false;              // a handle is the address of a word that is 0 when dead
  std::atomic<LiveTable*> table_{nullptr};  // null: off
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Reason::kCount)> not_followed_{};

  DeadHandles dead_;
  std::atomic<std::size_t> most_handles_{0};  // about the maximum since start()
  FreedMemory freed_memory_;
  std::mutex chunks_out_;  // held while the objects are taken out of the store
  AgentThread thread_;
  std::shared_ptr<Watch> watch_;  // null: off; changed under the mutex
  std::atomic<int> waiters_{0};   // threads that wait for figures
  std::mutex mutex_;
  std::condition_variable swept_, watch_ended_;
  int watches_ = 0;                         // queued or running, guarded by the mutex
  std::atomic<std::uint64_t> swept_gc_{0};  // written under the mutex
  std::atomic<std::uint64_t> first_gc_{0};  // collections before following began
};

}  // namespace ddm
