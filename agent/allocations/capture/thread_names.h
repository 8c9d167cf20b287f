// java.lang.Thread id -> name, for records that outlive their threads.
//
// A name is stored when a thread is first seen allocating and again when it ends; for live threads
// the reader asks the VM, so a rename is visible. Any thread.
#pragma once

#include <jvmti.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>

#include "core/reclamation.h"
#include "stack/names/name_log.h"

namespace ddm {

class ThreadNames {
 public:
  // Fields of java.lang.Thread.
  struct Fields {
    jfieldID id, name;
  };
  ThreadNames(jvmtiEnv* jvmti, const Fields& fields) : jvmti_(jvmti), fields_(fields) {}

  // Also writes each name to a ring file from now on, before any record of its thread.
  void keep_in(std::unique_ptr<RingThreadNames> file);

  // Called for each allocation, inside a Reading: cheap if this OS thread's previous call had the
  // same id and generation.
  void note(JNIEnv* jni, jthread thread, std::int64_t id);
  // While this value is unchanged, stored names need not be stored again.
  std::uint32_t generation() const { return generation_.load(std::memory_order_acquire); }
  void thread_ending(JNIEnv* jni, jthread thread);  // while tracking is on

  // All stored names. Without the VM, on any thread.
  std::map<std::int64_t, std::string> known();

  // Call outside of a Reading, before the snapshot of the records whose names read() returns: the
  // names of threads that allocate from now on are kept, since their records may be too late for the
  // snapshot. False: a thread took too long to finish its record, so no name may be dropped.
  bool prepare_read(Reclamation& reclamation);

  // The names of the wanted threads. `drop`: forgets those of all other ended threads, unless noted
  // since prepare_read().
  std::map<std::int64_t, std::string> read(JNIEnv* jni,
                                           const std::unordered_set<std::int64_t>& wanted,
                                           bool drop);

 private:
  struct Entry {
    std::string name;
    std::uint32_t noted_in = 0;  // reads_ then
  };

  std::string name_of(JNIEnv* jni, jthread thread) const;
  void store(std::int64_t id, const std::string& name);

  jvmtiEnv* const jvmti_;
  const Fields fields_;
  std::mutex mutex_;
  std::map<std::int64_t, Entry> names_;
  std::uint32_t reads_ = 0;  // how many were prepared
  std::unique_ptr<RingThreadNames> file_;
  // How often each thread has been asked to note its name again.
  std::atomic<std::uint32_t> generation_{0};
};

}  // namespace ddm
