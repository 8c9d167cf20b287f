// Which threads have run since they were last looked at, by their CPU clocks.
//
// A clock costs half a microsecond, so a thread whose clock stands still is looked at more and more
// seldom, at every sixteenth look in the end: its clock tells later what it has used meanwhile.
// For the sampler's thread alone, but for threads_changed().
#pragma once

#include <jvmti.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "vm/thread_fields.h"

namespace ddm {

struct RanThread {
  jthread thread = nullptr;  // global reference
  std::int64_t id = 0;       // Java's
  std::uint32_t os_id = 0;
  std::string name;
  bool carrier = false;        // carries virtual threads
  std::int64_t clock_ns = 0;   // of its CPU, when it was last looked at
  std::int64_t unsaid_ns = 0;  // CPU that no sample stands for yet, and head_start_ns
  std::int64_t head_start_ns = 0;
  std::uint32_t quiet = 0;  // looks at which its clock stood still
  std::uint32_t unmet = 0;  // looks before which it had run, and at which it did not
  std::uint64_t list = 0;   // the last list that it stood in
  std::int64_t name_read_ns = 0;
};

class RanThreads {
 public:
  RanThreads(jvmtiEnv* jvmti, const ThreadFields& fields) : jvmti_(jvmti), fields_(fields) {}
  RanThreads(const RanThreads&) = delete;
  RanThreads& operator=(const RanThreads&) = delete;

  // A thread has started or ended. Any thread.
  void threads_changed() { changes_.fetch_add(1, std::memory_order_relaxed); }

  // The threads that have run. Valid until the next call. `unit_ns`: of CPU, that one sample stands
  // for. Each thread begins somewhere within a unit, by chance, so that a thousand threads that use
  // a thousandth of it each come to one sample.
  const std::vector<RanThread*>& look(JNIEnv* jni, std::int64_t now_ns, std::int64_t unit_ns);

  // Of a thread of the last look(). One that does not run at this moment but has to wait for a
  // processor would be waited for, and whoever runs be disturbed meanwhile: it is left for another
  // look, at most so often that it would have been met by chance. `waiting_too`: a thread that waits
  // for something else is wanted as well.
  bool is_to_be_stopped(RanThread& thread, bool waiting_too) const;

  // The name may have changed: read again now and then.
  const std::string& name_of(JNIEnv* jni, RanThread& thread, std::int64_t now_ns) const;
  std::string name_of(JNIEnv* jni, jthread thread) const { return fields_.name(jni, thread); }
  std::int64_t id_of(JNIEnv* jni, jthread thread) const { return fields_.id(jni, thread); }

  // The clock of its CPU now; -1: it is gone.
  static std::int64_t clock_of(std::uint32_t os_id);

  // CPU that no sample stands for, of threads that have ended and, as of the last list, of others.
  std::int64_t unsaid_ns() const { return ended_unsaid_ns_ + unsaid_ns_; }

  // Gives all references back, and begins anew.
  void clear(JNIEnv* jni);

 private:
  static constexpr std::size_t kSlots = 32;  // more than the looks that a quiet thread waits for

  void read_list(JNIEnv* jni, std::int64_t now_ns, std::int64_t unit_ns);
  void meet(JNIEnv* jni, RanThread& thread, std::int64_t now_ns, std::int64_t unit_ns);
  void look_at(RanThread& thread);

  jvmtiEnv* const jvmti_;
  const ThreadFields fields_;
  const std::size_t processors_ = std::max(std::thread::hardware_concurrency(), 1U);
  std::unordered_map<std::int64_t, RanThread> threads_;  // by Java's id
  std::vector<RanThread*> ran_;
  // Whom to look at next, and at which look: by its number, modulo kSlots.
  std::array<std::vector<RanThread*>, kSlots> due_;
  std::vector<RanThread*> now_due_;
  std::minstd_rand random_;
  std::atomic<std::uint64_t> changes_{1};
  std::uint64_t changes_read_ = 0;
  std::int64_t list_read_ns_ = 0;
  bool first_list_ = true;
  std::uint64_t lists_ = 0;
  std::uint64_t looks_ = 0;
  std::int64_t ended_unsaid_ns_ = 0;
  std::int64_t unsaid_ns_ = 0;
};

}  // namespace ddm
