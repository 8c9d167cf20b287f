// Notifies a class of the program of every completed object: calls its static method
// allocated(Object, long size) on the allocating thread.
//
// An object with a constructor is recorded in Object.<init>, before it is complete. It is queued, per
// thread, until constructed() reports that the constructor has returned. Objects without that report
// (of natives, of hidden classes) are reported with the next completed enclosing object, when the
// thread ends, or by settle().
//
// Runs on the program's threads, in the Tracker's natives. The listener's own allocations are not
// reported, and its exceptions are dropped.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ddm {

class ObjectListener {
 public:
  bool on() const { return on_.load(std::memory_order_acquire); }

  // "" or the error. Replaces the previous listener.
  std::string start(JNIEnv* jni, jclass listener);
  void stop() { on_ = false; }

  // `in_constructor`: it is not complete yet.
  void allocated(JNIEnv* jni, jobject object, std::int64_t size, bool in_constructor) noexcept;
  // Ignores null, and objects that are not queued.
  void constructed(JNIEnv* jni, jobject object) noexcept;
  // Reports all objects that the calling thread has queued.
  void settle(JNIEnv* jni) noexcept;

 private:
  void notify(JNIEnv* jni, jobject object, std::int64_t size) noexcept;
  // Reports the queued objects from `first` on, oldest first.
  void notify_from(JNIEnv* jni, std::uint32_t first) noexcept;

  std::atomic<bool> on_{false};
  std::atomic<jclass> class_{
      nullptr};  // global references, never deleted: threads may be using them
  std::atomic<jmethodID> method_{nullptr};
};

}  // namespace ddm
