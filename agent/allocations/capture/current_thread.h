// The java.lang.Thread id of the calling thread. Queried from the VM once, and again when the VM's
// own word for it has changed (a virtual thread was mounted). JDK 19 to 23 have no such word: there
// a platform thread is queried once, and a carrier each time while a virtual thread is mounted.
// Any thread.
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
    const Cached cached = t_cached;
    if (cached.id != 0 && cached.generation == names_.generation() &&
        (by_word_ ? word<std::int64_t>(jni, word_offset_) == cached.id
                  : cached.platform && !may_be_virtual(jni))) {
      return cached.id;
    }
    return query(jni, thread);
  }

  // Of the thread of the last id(), without a mounted one; not known of every VM's: then false.
  static bool is_platform() { return t_cached.platform; }

  // Of any.
  std::int64_t id_of(JNIEnv* jni, jobject thread) const {
    return jni->GetLongField(thread, thread_id_field_);
  }

  // Call when the calling thread starts or ends as a Java thread.
  static void forget() { t_cached = {}; }

 private:
  // Contents of the calling thread's JavaThread.
  template <typename T>
  T word(JNIEnv* jni, std::uintptr_t offset) const {
    return *reinterpret_cast<const volatile T*>(threads_->of(jni) + offset);
  }
  // False: the calling thread is no virtual thread. Compares the references behind
  // JavaThread::_threadObj and _vthread as they are: while a collector updates them, equal ones may
  // look different, but different ones look equal only if the carrier's object has just been moved
  // to where the virtual thread's was. Call while attached to the VM, which keeps both handles valid.
  bool may_be_virtual(JNIEnv* jni) const {
    using Handle = const volatile std::uintptr_t*;
    if (never_changes_) return false;
    if (handles_offset_ == 0) return true;
    const auto platform = word<Handle>(jni, handles_offset_);
    const auto current = word<Handle>(jni, handles_offset_ + sizeof(Handle));
    return platform == nullptr || current == nullptr || *platform != *current;
  }
  // handles_offset_, from the calling platform thread.
  std::uintptr_t find_handles(JNIEnv* jni) const;
  std::int64_t query(JNIEnv* jni, jthread thread);

  struct Cached {
    std::int64_t id = 0;  // 0: unknown
    std::uint32_t generation = 0;
    bool platform = false;
  };
  static constinit thread_local Cached t_cached;

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  ThreadNames& names_;
  const std::optional<VmThreads> threads_;
  std::uintptr_t word_offset_ = 0;
  std::uintptr_t handles_offset_ = 0;  // of _threadObj, if _vthread follows; 0: unknown
  bool by_word_ = false;        // JavaThread::_monitor_owner_id (24 and later) is the thread's id
  bool never_changes_ = false;  // the VM has no virtual threads
};

}  // namespace ddm
