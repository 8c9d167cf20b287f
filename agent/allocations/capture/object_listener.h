// A class of the program that is told of every object once it is complete: its static method
// allocated(Object, long size), on the thread that made the object.
//
// An object of a constructor is recorded in Object.<init>, where nobody may look at it yet. It waits here,
// by thread, until constructed() says that its constructor has returned. What was made by nothing that
// says so (natives, hidden classes) is told with the next object that is complete around it, when its
// thread ends, or with settle().
//
// The program's threads, in the Tracker's natives. What the listener allocates itself is not told; what it
// throws is dropped.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>
#include <string>

namespace ddm {

class ObjectListener {
 public:
  bool on() const { return on_.load(std::memory_order_acquire); }

  // "" or why that class cannot listen. One class listens at a time, the last one.
  std::string start(JNIEnv* jni, jclass listener);
  void stop() { on_ = false; }

  // `in_constructor`: it is not complete yet.
  void allocated(JNIEnv* jni, jobject object, std::int64_t size, bool in_constructor) noexcept;
  // Ignores null, and what does not wait here.
  void constructed(JNIEnv* jni, jobject object) noexcept;
  // All that the calling thread has waiting is complete.
  void settle(JNIEnv* jni) noexcept;

 private:
  void tell(JNIEnv* jni, jobject object, std::int64_t size) noexcept;
  // Tells what waits from `first` on, the oldest first.
  void tell_from(JNIEnv* jni, std::uint32_t first) noexcept;

  std::atomic<bool> on_{false};
  std::atomic<jclass> class_{
      nullptr};  // global references, never deleted: threads may be using them
  std::atomic<jmethodID> method_{nullptr};
};

}  // namespace ddm
