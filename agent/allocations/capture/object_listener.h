// Notifies a class of the program of every completed object: calls its static method
// allocated(Object, long size) on the allocating thread.
//
// An object with a constructor is recorded in Object.<init>, before it is complete. It is queued, per
// thread, until constructed() reports that the constructor has returned. Objects without that report
// (of natives, of hidden classes) are reported with the next completed enclosing object, when the
// thread ends, or by settle(). The agent learns of no virtual thread's end: once more than kMostVirtual
// of them have queued objects, the next one reports those of the oldest.
//
// Runs on the program's threads, in the Tracker's natives. The listener's own allocations are not
// reported, and its exceptions are dropped.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "allocations/capture/current_thread.h"

namespace ddm {

class ObjectListener {
 public:
  explicit ObjectListener(CurrentThread& thread) : thread_(thread) {}

  bool on() const { return on_.load(std::memory_order_acquire); }

  // "" or the error. Replaces the previous listener.
  std::string start(JNIEnv* jni, jclass listener);
  bool calls(JNIEnv* jni, jclass listener) const { return jni->IsSameObject(class_, listener); }
  // Ends reporting, and drops what virtual threads have queued; null: the VM ends.
  void stop(JNIEnv* jni);

  // `in_constructor`: it is not complete yet.
  void allocated(JNIEnv* jni, jobject object, std::int64_t size, bool in_constructor) noexcept;
  // Ignores null, and objects that are not queued.
  void constructed(JNIEnv* jni, jobject object) noexcept;
  // Reports all objects that the calling thread has queued, or drops them after stop().
  void settle(JNIEnv* jni) noexcept;
  // The same for a platform thread, which queues nothing any more.
  void thread_ending(JNIEnv* jni) noexcept;

  struct Queued {
    jobject reference;  // global
    std::int64_t size;
  };
  // Only its thread uses it; without a lock, since it is in use meanwhile.
  struct Waiting {
    std::vector<Queued> objects;
    bool in_use = false;
  };

 private:
  class Own;  // the calling thread's queue, in use
  static constexpr std::size_t kMostVirtual = 1024;

  void notify(JNIEnv* jni, jobject object, std::int64_t size) noexcept;
  // Notifies of the objects, and deletes the references.
  void notify(JNIEnv* jni, const std::vector<Queued>& objects) noexcept;
  // The oldest virtual thread's, if there are too many.
  std::vector<Queued> take_too_many();

  CurrentThread& thread_;
  std::atomic<bool> on_{false};
  std::atomic<jclass> class_{
      nullptr};  // global references, never deleted: threads may be using them
  std::atomic<jmethodID> method_{nullptr};

  std::mutex mutex_;
  // By thread id, hence in the order of the threads' creation; none is empty that is not in use.
  // Guarded by the mutex, but for the contents of a queue in use.
  std::map<std::int64_t, Waiting> virtual_;
};

}  // namespace ddm
