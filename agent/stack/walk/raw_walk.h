// A whole stack, decoded frame by frame without a cache: what the cached walk and GetStackTrace are
// held against, and the walk as a test without a JVM can run it.
#pragma once

#include <span>

#include "stack/walk/frame_walker.h"
#include "stack/walk/method_resolution.h"
#include "stack/walk/parked_frames.h"

namespace ddm {

// A frame and the version of its method that it runs.
struct VersionFrame {
  VmAddress id = 0;  // jmethodID; 0: odd, or none yet
  std::int32_t bci = kNoBci;
  VmAddress method = 0;  // Method*, of that version
  bool compiled = false;
};

class RawWalk {
 public:
  RawWalk(const VmLayout& layout, const CompiledFrames& compiled, const MethodResolution& methods)
      : layout_(layout), compiled_(compiled), methods_(methods) {}

  // Of the thread, from the innermost frame outwards, as many as there is room for. `parked`: for
  // the outer ones of a virtual thread, or null.
  WalkEnd walk(VmAddress java_thread, std::span<VersionFrame> frames, std::size_t& count,
               const ParkedFrames* parked = nullptr) const;

  // What an interpreted frame stands for. Nothing in it is trusted.
  VersionFrame interpreted_frame(VmAddress method, VmAddress bytecode) const;

 private:
  // kComplete: all frames are there, or as many as there is room for.
  WalkEnd walk_parked(VmAddress java_thread, const ParkedFrames& parked,
                      std::span<VersionFrame> frames, std::size_t& count) const;
  WalkEnd walk_run(ParkedWalk& run, std::span<VersionFrame> frames, std::size_t& count) const;
  // false: a method without an id.
  bool add(const CompiledFrame& found, std::span<VersionFrame> frames, std::size_t& count) const;

  const VmLayout& layout_;
  const CompiledFrames& compiled_;
  const MethodResolution& methods_;
};

}  // namespace ddm
