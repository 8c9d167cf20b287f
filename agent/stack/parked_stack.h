// The outer frames of the calling thread's virtual thread, as shown in reports, while they are in
// the heap (stack/walk/parked_frames.h). Any thread, for itself.
#pragma once

#include <jni.h>

#include "stack/place_lookup.h"
#include "stack/shown_stack.h"
#include "stack/walk/parked_frames.h"
#include "stack/walk/parked_trails.h"

namespace ddm {

class ParkedStack {
 public:
  ParkedStack(const VmLayout& layout, const ParkedLayout& parked, const HeapPauses& pauses,
              ReadablePages& pages, PlaceLookup& places)
      : layout_(layout), frames_(parked, pauses, pages), places_(places) {}

  const ParkedFrames& frames() const { return frames_; }

  // Adds all of them, or as many as the stack wants: kComplete. Otherwise the reason. `trails`: the
  // calling thread's.
  WalkEnd add_to(JNIEnv* jni, VmAddress java_thread, ParkedTrails& trails, ShownStack& stack);

 private:
  // Adds a run that no trail knows: `copied` of its words are in the trails' buffer. Sets `enough`
  // when the stack wants no more.
  WalkEnd walk_run(JNIEnv* jni, const ParkedFrames::Run& run, std::size_t copied,
                   ParkedTrails& trails, ShownStack& stack, bool& enough);

  const VmLayout& layout_;
  const ParkedFrames frames_;
  PlaceLookup& places_;
};

}  // namespace ddm
