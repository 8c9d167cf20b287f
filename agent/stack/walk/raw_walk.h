// Decodes a whole stack frame by frame without a cache: the reference for the cached walk, compared
// with GetStackTrace, and a walk that tests can run without a JVM.
#pragma once

#include <span>

#include "stack/walk/frame_walker.h"
#include "stack/walk/method_resolution.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

// A frame and the version of its method that it executes.
struct VersionFrame {
  VmAddress id = 0;  // jmethodID; 0: odd, or not created yet
  std::int32_t bci = kNoBci;
  VmAddress method = 0;  // Method* of that version
  bool compiled = false;
};

class RawWalk {
 public:
  RawWalk(const VmLayout& layout, const CompiledFrames& compiled, const MethodResolution& methods)
      : layout_(layout), compiled_(compiled), methods_(methods) {}

  // The thread's frames, innermost first, as many as `frames` holds. `parked`: for the outer frames
  // of a virtual thread, or null.
  WalkEnd walk(VmAddress java_thread, std::span<VersionFrame> frames, std::size_t& count,
               const ParkedFrames* parked = nullptr) const;

  // Decodes an interpreted frame; validates everything.
  VersionFrame interpreted_frame(VmAddress method, VmAddress bytecode) const;

 private:
  // kComplete: all frames were added, or as many as `frames` holds.
  WalkEnd walk_parked(VmAddress java_thread, const ParkedFrames& parked,
                      std::span<VersionFrame> frames, std::size_t& count) const;
  WalkEnd walk_run(ParkedWalk& run, std::span<VersionFrame> frames, std::size_t& count) const;
  // False: a method without an id.
  bool add(const CompiledFrame& found, std::span<VersionFrame> frames, std::size_t& count) const;

  const VmLayout& layout_;
  const CompiledFrames& compiled_;
  const MethodResolution& methods_;
};

}  // namespace ddm
