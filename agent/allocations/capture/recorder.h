// The hot path: one allocation of the calling thread -> one AllocRecord in the ring.
//
// Runs on the program's threads, in JVMTI callbacks and in the Tracker's natives. Never throws,
// never allocates Java objects, never waits for another thread's record, and caches every answer of
// the VM. What cannot be recorded is counted with a reason.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "allocations/capture/current_thread.h"
#include "allocations/capture/live_objects.h"
#include "allocations/capture/object_facts.h"
#include "allocations/capture/object_listener.h"
#include "allocations/capture/thread_books.h"
#include "allocations/scopes/scopes.h"
#include "allocations/store/current_ring.h"
#include "stack/seen_methods.h"
#include "stack/stack_capture.h"

namespace ddm {

enum class DropReason { kNoClass, kOutOfMemory, kRingBusy, kCount };

class Recorder {
 public:
  Recorder(const CurrentRing& ring, ThreadBooks& books, CurrentThread& thread, ObjectFacts& objects,
           SeenMethods& methods, LiveObjects& live, Scopes& scopes, Reclamation& reclamation)
      : ring_(ring),
        books_(books),
        thread_(thread),
        objects_(objects),
        methods_(methods),
        live_(live),
        scopes_(scopes),
        listener_(thread),
        reclamation_(reclamation) {}

  // What the caller knows of an allocation besides the object; null and 0 if unknown.
  struct Known {
    jthread thread = nullptr;  // the calling thread's java.lang.Thread
    jclass klass = nullptr;
    std::int64_t size = 0;
  };

  // Ignores null. `weight`: the number of allocations that this one represents.
  void record(JNIEnv* jni, jobject object, TopFrames top) noexcept {
    record(jni, object, {}, top, 1);
  }
  void record(JNIEnv* jni, jobject object, const Known& known, TopFrames top,
              double weight) noexcept;

  // The calling thread has made a thread, which belongs to the same scope.
  void thread_made(JNIEnv* jni, jobject thread) noexcept;
  // The calling thread owns the scope.
  ScopeNumber begin_scope(JNIEnv* jni, ScopeRoot root, std::shared_ptr<Sites> sites);

  // The listener to all recorded allocations.
  ObjectListener& listener() { return listener_; }

  // Sets the stack walker from now on.
  void use_stacks(StackCapture& stacks) { stacks_ = &stacks; }
  StackCapture& stacks() { return *stacks_; }
  SeenMethods& methods() { return methods_; }  // callers are inside a Reading

  // Separates sites by thread: a stack's innermost frame is then thread_frame(). Call while nothing
  // is recorded.
  void set_per_thread_sites(bool per_thread) { per_thread_sites_ = per_thread; }

  // Records only between open() and shut(); both at a safepoint too. After pause(), which shuts it,
  // not even a thread that was about to call record() records. False: a thread inside record() has
  // not left it within `patience`.
  void open() { open_ = true; }
  void shut() { open_ = false; }
  bool pause(std::chrono::milliseconds patience);

  // VMDeath: hooks in threads that are still running do nothing from now on.
  void close() { closed_ = true; }

  std::map<std::string, std::int64_t> dropped() const;
  void clear_dropped() {
    for (auto& n : dropped_) n = 0;
  }

 private:
  // False: nothing was recorded. Sets `size` to the object's.
  bool add(JNIEnv* jni, jobject object, const Known& known, TopFrames top, double weight,
           std::int64_t& size) noexcept;
  static TraceNumber trace_of(Sites& sites, ShownStack& stack, std::int64_t thread,
                              bool per_thread);
  void drop(DropReason reason, std::int64_t size, double weight);

  const CurrentRing& ring_;
  ThreadBooks& books_;
  CurrentThread& thread_;
  ObjectFacts& objects_;
  SeenMethods& methods_;
  LiveObjects& live_;
  Scopes& scopes_;
  ObjectListener listener_;
  Reclamation& reclamation_;
  std::atomic<StackCapture*> stacks_{nullptr};
  std::atomic<bool> per_thread_sites_{false};
  std::atomic<bool> open_{false};
  std::atomic<bool> closed_{false};
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(DropReason::kCount)> dropped_{};
};

}  // namespace ddm
