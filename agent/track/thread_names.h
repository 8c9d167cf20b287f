// java.lang.Thread id -> name, for records that outlive their threads.
//
// A name is noted when a thread is first seen allocating and again when it ends; of threads that
// are alive the reader asks the VM, so that a rename shows. Any thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>

namespace ddm {

class ThreadNames {
 public:
  ThreadNames(jvmtiEnv* jvmti, jfieldID thread_id_field)
      : jvmti_(jvmti), thread_id_field_(thread_id_field) {}

  // Called for each allocation: cheap when this OS thread asked for the same id just before.
  void note(jthread thread, std::int64_t id);
  void thread_ending(JNIEnv* jni, jthread thread);  // while tracking is on

  // The names of the wanted threads. Forgets all others that have ended.
  std::map<std::int64_t, std::string> read(JNIEnv* jni,
                                           const std::unordered_set<std::int64_t>& wanted);

 private:
  std::string name_of(jthread thread) const;

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  std::mutex mutex_;
  std::map<std::int64_t, std::string> names_;
};

}  // namespace ddm
