// The stack by a walk of the VM's frames (stack/walk), decoded while they are active: an activation
// keeps its code and its class alive.
//
// What the walk cannot decode (a virtual thread's frames in the heap if the collector moves them,
// anything odd) is taken from GetStackTrace, and counted. The first stacks and then one now and
// then are compared with it (stack/walker_check); after a difference only GetStackTrace is used.
// Any thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "core/result.h"
#include "stack/jvmti_stack_capture.h"
#include "stack/parked_stack.h"
#include "stack/place_lookup.h"
#include "stack/stack_capture.h"
#include "stack/walk/known_places.h"
#include "stack/walk/raw_walk.h"
#include "stack/walk/stack_trail.h"
#include "stack/walker_check.h"
#include "vm/memory/heap_pauses.h"
#include "vm/method_pointers.h"
#include "vm/vm_threads.h"

namespace ddm {

class VmStackCapture final : public StackCapture {
 public:
  // The error: why this VM's stacks cannot be walked.
  static Result<std::unique_ptr<VmStackCapture>> create(JNIEnv* jni, jobject current,
                                                        const MethodPointers& pointers,
                                                        JvmtiStackCapture& jvmti,
                                                        SeenMethods& names);

  const char* name() const override { return check_.trusted() ? "vm" : "jvmti"; }
  WalkerCounts counts() const override;
  void capture(JNIEnv* jni, ShownStack& stack) override;

  // Call once, before any capture. Null: classes may be unloaded, and objects moved, at any time.
  void watch(JNIEnv* jni, const HeapPauses* pauses);

 private:
  VmStackCapture(VmLayout layout, VmThreads threads, JvmtiStackCapture& jvmti, SeenMethods& names,
                 bool code_is_swept);

  WalkEnd walk(JNIEnv* jni, ShownStack& stack);
  // Verifies the calling thread's stack bounds and frame anchor, which bound a walk.
  bool knows_own_stack(JNIEnv* jni);
  void check_number(ShownStack& stack);
  // The thread's trail, if it can be trusted and this walk is worth one.
  StackTrail* trail_for(KnownPlaces& known, const ShownStack& stack) const;
  // The result of the agent's walk and of GetStackTrace.
  struct Compared {
    const char* difference = nullptr;  // how they differ, or null
    bool odd = false;                  // the walk met an unexpected frame, or has no judge
    bool judged = true;                // GetStackTrace answered
    WalkEnd end = WalkEnd::kComplete;  // of the walk
    bool has_code = false;             // there is compiled code among the frames
  };
  // `with_cache`: also compares with a cached walk; false inside of another walk.
  Compared check(JNIEnv* jni, bool with_cache = true);
  Compared compare(JNIEnv* jni, bool with_cache);
  // Called before compiled code is decoded. False: the walk ends.
  bool may_decode(JNIEnv* jni, VmAddress pc);
  bool cache_agrees(JNIEnv* jni, std::span<const VersionFrame> found);
  void explain(JNIEnv* jni, WalkEnd end, std::span<const RawFrame> walked,
               std::span<const RawFrame> reference) const;

  KnownPlaces::Epoch epoch() const;
  bool is_same_code(const KnownPlaces::Known& known) const;
  bool is_same_version(const KnownPlaces::Known& known) const;

  // Each step adds the frames at the walker's place and moves to the caller. kEnd: see `end`.
  using Step = StackTrail::Followed;
  static Step ended(WalkEnd why, WalkEnd& end) {
    end = why;
    return Step::kEnd;
  }
  // One walk: its position, and what it has found.
  struct Walk {
    ~Walk() {
      if (trail != nullptr) trail->abandon();
    }
    FrameWalker walker;
    KnownPlaces& known;
    StackTrail* trail;  // null: without a trail
    ShownStack& stack;
    PlaceLookup::Interpreted last;
    bool parked = false;  // some of its frames were in the heap
  };
  Step step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  // The cached frames of a place in compiled code.
  bool find_whole(VmAddress pc, FrameCache::Entry& entry, FrameCache::Identity& code) const;
  const KnownPlaces::Known* known_code(const Walk& walk, VmAddress pc) const;
  // Walks while the frames are cached. kContinue: the next one is not.
  Step known_steps(Walk& walk) const;
  Step compiled_step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  Step interpreted_step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  Step entry_step(Walk& walk, WalkEnd& end);

  const VmLayout layout_;
  const VmThreads threads_;
  ReadablePages pages_;
  UnprovenMemory memory_;
  const CompiledFrames compiled_;
  const MethodResolution methods_;
  MethodIds ids_;
  const RawWalk raw_walk_;
  PlaceLookup places_;
  const FrameCache& cache_;
  std::unique_ptr<ParkedStack> parked_;  // null: frames in the heap are taken from GetStackTrace
  JvmtiStackCapture& jvmti_;
  SeenMethods& names_;
  const bool code_is_swept_;
  const HeapPauses* pauses_ = nullptr;  // null: classes may be unloaded at any time
  WalkerCheck check_;
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(WalkEnd::kCount)> gave_up_{};
};

}  // namespace ddm
