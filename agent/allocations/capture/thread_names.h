// java.lang.Thread id -> name, for records that outlive their threads.
//
// A name is noted when a thread is first seen allocating and again when it ends; of threads that
// are alive the reader asks the VM, so that a rename shows. Any thread.
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
  // Of java.lang.Thread.
  struct Fields {
    jfieldID id, name;
  };
  ThreadNames(jvmtiEnv* jvmti, const Fields& fields) : jvmti_(jvmti), fields_(fields) {}

  // From now on every name is also kept in a ring file, before a record of its thread can be.
  void keep_in(std::unique_ptr<RingThreadNames> file);

  // Called for each allocation: cheap when this OS thread asked for the same id just before and
  // nothing was forgotten since.
  void note(JNIEnv* jni, jthread thread, std::int64_t id);
  // While this stays as it is, what was noted need not be noted again.
  std::uint32_t times_forgotten() const { return times_forgotten_.load(std::memory_order_acquire); }
  void thread_ending(JNIEnv* jni, jthread thread);  // while tracking is on

  // All names as last noted. Without the VM, on any thread.
  std::map<std::int64_t, std::string> known();

  // The names of the wanted threads. Forgets all others that have ended.
  std::map<std::int64_t, std::string> read(JNIEnv* jni,
                                           const std::unordered_set<std::int64_t>& wanted);

 private:
  std::string name_of(JNIEnv* jni, jthread thread) const;
  void keep(std::int64_t id, const std::string& name);

  jvmtiEnv* const jvmti_;
  const Fields fields_;
  std::mutex mutex_;
  std::map<std::int64_t, std::string> names_;
  std::unique_ptr<RingThreadNames> file_;
  std::atomic<std::uint32_t> times_forgotten_{0};  // how often names were taken out of one of them
};

}  // namespace ddm
