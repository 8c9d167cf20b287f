// Finds the threads that have run since the previous round, by their CPU clocks.
//
// Reading a clock takes half a microsecond, so an idle thread is checked less and less often, in
// the end in one of sixteen rounds; its clock still includes what it used in between. A thread that
// ends tells its clock itself. Used by the sampler thread only, except thread_started() and
// thread_ended().
#pragma once

#include <jvmti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "time/totals/look_rate.h"
#include "time/totals/sample_counts.h"
#include "time/totals/waiting_time.h"
#include "vm/thread_fields.h"

namespace ddm {

struct RanThread {
  jthread thread = nullptr;  // global reference
  std::int64_t id = 0;       // Thread.getId()
  std::uint32_t os_id = 0;
  std::string name;
  bool carrier = false;              // a carrier of virtual threads
  std::int64_t clock_ns = 0;         // its CPU clock at the last check
  std::int64_t last_clock_ns = 0;    // ... and at its end
  std::int64_t run_delay_ns = 0;     // total time runnable without a processor (cpu=wall)
  std::int64_t unattributed_ns = 0;  // ran, not covered by a sample yet; includes head_start_ns
  std::int64_t head_start_ns = 0;
  LookRate rate;
  std::uint64_t due = 0;    // the round of the next check
  std::uint32_t unmet = 0;  // rounds in which it had run but was not found running
  bool running = false;     // at the last should_take_stack()
  bool queued = false;      // then: runnable without a processor; known with `waiting_too`
  WaitingTime waiting;      // cpu=wall
  std::uint64_t list = 0;   // number of the last list that contained it
  std::int64_t name_read_ns = 0;
};

class RanThreads {
 public:
  RanThreads(jvmtiEnv* jvmti, const ThreadFields& fields) : jvmti_(jvmti), fields_(fields) {}

  // Any thread.
  void thread_started() { changes_.fetch_add(1, std::memory_order_relaxed); }
  // On the thread that ends.
  void thread_ended(JNIEnv* jni, jthread thread) noexcept;

  // The threads that have run; valid until the next call. `unit_ns`: CPU time per sample. Each
  // thread starts at a random offset within a unit, so that a thousand threads that use a
  // thousandth of a unit each yield one sample.
  //
  // `waits`: counts the time that threads waited, too (cpu=wall); the run delay then counts as having
  // run. `in_trace`: short runs between waits are wanted, too.
  const std::vector<RanThread*>& poll(JNIEnv* jni, std::int64_t now_ns, std::int64_t unit_ns,
                                      SampleCounts* waits, bool in_trace);
  // The threads that the last poll() checked, whether they had run or not.
  const std::vector<RanThread*>& checked() const { return now_due_; }

  // For a thread of the last poll(). Stopping a thread that is runnable but waits for a processor
  // would take long and disturb running ones, so it is postponed, at most until it would have been
  // found running by chance. `waiting_too`: threads blocked for another reason are wanted, too.
  bool should_take_stack(RanThread& thread, bool waiting_too) const;

  // Re-read periodically, since a thread may be renamed.
  const std::string& name_of(JNIEnv* jni, RanThread& thread, std::int64_t now_ns) const;
  std::string name_of(JNIEnv* jni, jthread thread) const { return fields_.name(jni, thread); }
  std::int64_t id_of(JNIEnv* jni, jthread thread) const { return fields_.id(jni, thread); }

  // CPU time not attributed to any sample, of ended threads and, as of the last list, of live ones.
  std::int64_t unattributed_ns() const { return ended_unattributed_ns_ + unattributed_ns_; }

  // Deletes all references and starts afresh.
  void clear(JNIEnv* jni);

 private:
  struct EndedClock {
    std::int64_t id = 0;
    std::int64_t clock_ns = 0;
  };

  static constexpr std::size_t kSlots = LookRate::kMostRounds + 1;

  void read_list(JNIEnv* jni, std::int64_t now_ns, std::int64_t unit_ns);
  // `since_ns`: since the last list.
  void take_clocks_of_ended(std::int64_t since_ns);
  void register_thread(JNIEnv* jni, RanThread& thread, std::int64_t now_ns, std::int64_t unit_ns);
  void read_clock(RanThread& thread, std::int64_t round_ns, SampleCounts* waits,
                  const LookRate::Limits& looks);
  std::int64_t run_delay_since(RanThread& thread) const;

  jvmtiEnv* const jvmti_;
  const ThreadFields fields_;
  const std::size_t processors_ = std::max(std::thread::hardware_concurrency(), 1U);
  std::unordered_map<std::int64_t, RanThread> threads_;  // by Java id
  std::vector<RanThread*> ran_;
  // Threads by the round in which they are checked next, modulo kSlots.
  std::array<std::vector<RanThread*>, kSlots> due_;
  std::vector<RanThread*> now_due_;
  std::minstd_rand random_;
  std::atomic<std::uint64_t> changes_{1};
  std::uint64_t changes_read_ = 0;
  std::int64_t list_read_ns_ = 0;
  std::atomic<bool> first_list_{true};  // the next list is the first
  std::uint64_t lists_ = 0;
  std::uint64_t polls_ = 0;
  std::int64_t polled_ns_ = 0;  // the last time; 0: never
  std::mutex ended_mutex_;
  std::vector<EndedClock> ended_clocks_;  // since the last list
  std::int64_t ended_unattributed_ns_ = 0;
  std::int64_t unattributed_ns_ = 0;
};

}  // namespace ddm
