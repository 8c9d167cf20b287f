// The java.lang.Thread id of the calling thread. Queried from the VM once, and again when the VM's
// own word for it has changed (a virtual thread was mounted). Any thread.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

#include "allocations/capture/thread_names.h"
#include "vm/vm_threads.h"

namespace ddm {

class CurrentThread {
 public:
  CurrentThread(jvmtiEnv* jvmti, JNIEnv* jni, jobject current, jfieldID thread_id_field,
                ThreadNames& names);

  // `thread`: the java.lang.Thread if known, else null. Registers the thread's name.
  std::int64_t id(JNIEnv* jni, jthread thread) {
    const Noted noted = t_noted;
    if (noted.id != 0 && noted.times_forgotten == names_.times_forgotten() &&
        (by_word_ ? vm_word(jni) == noted.id : never_changes_)) {
      return noted.id;
    }
    return ask(jni, thread);
  }

  // Of any.
  std::int64_t id_of(JNIEnv* jni, jobject thread) const {
    return jni->GetLongField(thread, thread_id_field_);
  }

  // Call when the calling thread starts or ends as a Java thread.
  static void forget() { t_noted = {}; }

 private:
  std::int64_t vm_word(JNIEnv* jni) const {
    return *reinterpret_cast<const std::int64_t*>(threads_->of(jni) + word_offset_);
  }
  std::int64_t ask(JNIEnv* jni, jthread thread);

  struct Noted {
    std::int64_t id = 0;  // 0: unknown
    std::uint32_t times_forgotten = 0;
  };
  static constinit thread_local Noted t_noted;

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  ThreadNames& names_;
  const std::optional<VmThreads> threads_;
  std::uintptr_t word_offset_ = 0;
  bool by_word_ = false;        // JavaThread::_monitor_owner_id (24 and later) is the thread's id
  bool never_changes_ = false;  // the VM has no virtual threads
};

}  // namespace ddm
