// The hot path: one allocation of the calling thread -> one AllocRecord in the ring.
//
// Runs inside the program's threads, in JVMTI callbacks and in the Tracker's natives. Never throws,
// never allocates Java objects, holds the ring's lock for one copy only. What cannot be recorded is
// counted with a reason.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "records/alloc_ring.h"
#include "track/class_ids.h"
#include "track/seen_methods.h"
#include "track/stack_capture.h"
#include "track/thread_books.h"
#include "track/thread_names.h"

namespace ddm {

// Which innermost frames belong to the allocation itself and not to the method that allocated.
enum class TopFrames {
  kAsTheyAre,    // the VM told of the allocation in the allocating method
  kTracker,      // a call of the Tracker behind the instruction
  kConstructors  // a call of the Tracker in Object.<init>: the constructors that the object is
                 // running through, which stand at their this() or super() call
};

enum class DropReason { kNoClass, kOutOfMemory, kCount };

class Recorder {
 public:
  Recorder(jvmtiEnv* jvmti, jfieldID thread_id_field, NameTable& names, ThreadBooks& books,
           ThreadNames& thread_names, StackCapture& stacks, const RewrittenMethods& rewritten);

  // The ring that records go to from now on. The former one stays valid for those still in it.
  void use_ring(std::shared_ptr<AllocRing> ring);

  // `thread`: the calling thread's java.lang.Thread.
  void record(JNIEnv* jni, jthread thread, jclass klass, std::int64_t size, TopFrames top) noexcept;

  // The same for an object in hand. Null is ignored.
  void record(JNIEnv* jni, jobject object, TopFrames top) noexcept;

  SeenMethods& methods() { return methods_; }
  StackCapture& stacks() { return stacks_; }

  // The VM is dying: injected calls of threads that still run do nothing any more.
  void close() { closed_ = true; }

  std::map<std::string, std::int64_t> dropped() const;
  void clear_dropped();

 private:
  std::size_t walk(JNIEnv* jni, TopFrames top, std::span<Frame> frames);
  void drop(DropReason reason) {
    dropped_[static_cast<std::size_t>(reason)].fetch_add(1, std::memory_order_relaxed);
  }

  jvmtiEnv* const jvmti_;
  const jfieldID thread_id_field_;
  ThreadBooks& books_;
  ThreadNames& thread_names_;
  StackCapture& stacks_;
  ClassIds class_ids_;
  SeenMethods methods_;
  std::atomic<bool> closed_{false};
  std::atomic<AllocRing*> ring_{nullptr};
  std::vector<std::shared_ptr<AllocRing>> rings_;  // of this run; one unless records= changed
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(DropReason::kCount)> dropped_{};
};

}  // namespace ddm
