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

  // Called for each allocation: cheap if this OS thread's previous call had the same id and no
  // names were dropped since.
  void note(JNIEnv* jni, jthread thread, std::int64_t id);
  // While this value is unchanged, stored names need not be stored again.
  std::uint32_t generation() const { return generation_.load(std::memory_order_acquire); }
  void thread_ending(JNIEnv* jni, jthread thread);  // while tracking is on

  // All stored names. Without the VM, on any thread.
  std::map<std::int64_t, std::string> known();

  // The names of the wanted threads. Drops the names of all other ended threads.
  std::map<std::int64_t, std::string> read(JNIEnv* jni,
                                           const std::unordered_set<std::int64_t>& wanted);

 private:
  std::string name_of(JNIEnv* jni, jthread thread) const;
  void store(std::int64_t id, const std::string& name);

  jvmtiEnv* const jvmti_;
  const Fields fields_;
  std::mutex mutex_;
  std::map<std::int64_t, std::string> names_;
  std::unique_ptr<RingThreadNames> file_;
  std::atomic<std::uint32_t> generation_{0};  // how often names were dropped
};

}  // namespace ddm
