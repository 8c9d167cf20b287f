// The stack by our own walk of the VM's frames (stack/walk), decoded while they stand: a frame's
// activation keeps its code and its class alive.
//
// What the walk cannot tell (a virtual thread's frames in the heap when the collector moves them,
// anything odd) is asked of GetStackTrace, and counted. The first stacks and then one now and then are compared with it
// (stack/walker_check); should they differ, GetStackTrace does all from then on. Any thread.
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
#include "vm/gc_pauses.h"
#include "vm/method_pointers.h"
#include "vm/vm_threads.h"

namespace ddm {

class VmStackCapture final : public StackCapture {
 public:
  // The error: why this VM's stacks cannot be walked.
  static Result<std::unique_ptr<VmStackCapture>> create(JNIEnv* jni, jobject current,
                                                        const MethodPointers& pointers,
                                                        JvmtiStackCapture& jvmti,
                                                        FrameNames& names);

  const char* name() const override { return check_.trusted() ? "vm" : "jvmti"; }
  WalkerCounts counts() const override;
  void capture(JNIEnv* jni, ShownStack& stack) override;
  std::size_t capture_raw(JNIEnv* jni, std::span<RawFrame> frames) override;

  // Once, while nobody captures. Null: classes may be unloaded, and objects moved, at any time.
  void watch(JNIEnv* jni, const GcPauses* pauses);

 private:
  VmStackCapture(VmLayout layout, VmThreads threads, JvmtiStackCapture& jvmti, FrameNames& names,
                 bool code_is_swept);

  WalkEnd walk(JNIEnv* jni, ShownStack& stack);
  // Of the calling thread, before it is walked: what bounds a walk.
  bool knows_own_stack(JNIEnv* jni);
  // The thread's trail, if it can be trusted and this walk is worth one.
  StackTrail* trail_for(KnownPlaces& known, const ShownStack& stack) const;
  // Our walk and GetStackTrace's.
  struct Compared {
    const char* difference = nullptr;  // how they differ, or null
    bool odd = false;                  // ours came to a frame that is not as it should be
    WalkEnd end = WalkEnd::kComplete;  // of ours
    bool has_code = false;             // compiled code is among the frames
  };
  // In another walk nothing is compared with the cache.
  Compared check(JNIEnv* jni, bool with_cache = true);
  Compared compare(JNIEnv* jni, bool with_cache);
  // Before compiled code is decoded. false: the walk ends.
  bool may_decode(JNIEnv* jni, VmAddress pc);
  WalkEnd raw_walk(JNIEnv* jni, std::span<VersionFrame> frames, std::size_t& count) const;
  bool cache_agrees(JNIEnv* jni, std::span<const VersionFrame> found);
  void explain(JNIEnv* jni, WalkEnd end, std::span<const RawFrame> walked,
               std::span<const RawFrame> official) const;

  KnownPlaces::Epoch epoch() const;
  bool is_same_code(const KnownPlaces::Known& known) const;
  bool is_same_version(const KnownPlaces::Known& known) const;

  // Each adds the frames of the place that the walker stands at and goes on to the caller. kEnd:
  // `end` says why.
  enum class Step { kContinue, kEnough, kEnd };
  // One walk: where it stands, and what it knows and learns on its way.
  struct Walk {
    ~Walk() {
      if (trail != nullptr) trail->give_up();
    }
    FrameWalker walker;
    KnownPlaces& known;
    StackTrail* trail;  // null: without
    ShownStack& stack;
    PlaceLookup::Interpreted last;
    bool parked = false;  // some of its frames lay in the heap
  };
  Step step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  // What the cache knows of a place in compiled code.
  bool find_whole(VmAddress pc, FrameCache::Entry& entry, FrameCache::Identity& code) const;
  const KnownPlaces::Known* known_code(const Walk& walk, VmAddress pc) const;
  // As long as frames are known. kContinue: the next one is not.
  Step known_steps(Walk& walk) const;
  Step compiled_step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  Step leave_compiled(Walk& walk, StackTrail* trail, CodeKind kind, std::int32_t bytes,
                      FrameCache::Identity identity, WalkEnd& end);
  Step learn_compiled(JNIEnv* jni, Walk& walk, StackTrail* trail, std::size_t known, WalkEnd& end);
  Step interpreted_step(JNIEnv* jni, Walk& walk, WalkEnd& end);
  Step entry_step(Walk& walk, WalkEnd& end);
  // All that lies in the heap.
  Step parked_steps(JNIEnv* jni, Walk& walk, WalkEnd& end);

  const VmLayout layout_;
  const VmThreads threads_;
  ReadablePages pages_;
  UnprovenMemory memory_;
  const CodeHeaps heaps_;
  const CompiledFrames compiled_;
  const MethodResolution methods_;
  MethodIds ids_;
  const RawWalk raw_walk_;
  PlaceLookup places_;
  const FrameCache& cache_;
  std::unique_ptr<ParkedStack> parked_;  // null: what lies in the heap is GetStackTrace's
  JvmtiStackCapture& jvmti_;
  FrameNames& names_;
  const bool code_is_swept_;
  const GcPauses* pauses_ = nullptr;  // null: classes may be unloaded at any time
  WalkerCheck check_;
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(WalkEnd::kCount)> gave_up_{};
};

}  // namespace ddm
