// The frames at a code address, as shown in reports: from FrameCache, or decoded, named, and cached
// there. The code is kept alive by the caller's own frames, or those of its virtual thread. Any
// thread.
#pragma once

#include <jni.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "stack/method_ids.h"
#include "stack/seen_methods.h"
#include "stack/stack_capture.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/raw_walk.h"

namespace ddm {

class PlaceLookup {
 public:
  PlaceLookup(const VmLayout& layout, const CompiledFrames& compiled,
              const MethodResolution& methods, MethodIds& ids, const RawWalk& raw_walk,
              SeenMethods& names)
      : compiled_(compiled),
        methods_(methods),
        ids_(ids),
        raw_walk_(raw_walk),
        names_(names),
        cache_(names.generation(), FrameCache::alive_of(layout)) {}

  const FrameCache& cache() const { return cache_; }

  // All frames at a return address in compiled code, or in a stub.
  struct Compiled {
    CodeKind kind = CodeKind::kOdd;
    std::int32_t bytes = 0;
    FrameCache::Identity identity;
    std::size_t count = 0;
    std::array<ShownFrame, CompiledFrame::kMostInlined> frames;
  };
  // kComplete, or why not.
  WalkEnd compiled(JNIEnv* jni, VmAddress pc, Compiled& code);
  // The same from the cache alone; false: it is not there. And without the cache.
  bool find_compiled(VmAddress pc, Compiled& code) const;
  WalkEnd decode_compiled(JNIEnv* jni, VmAddress pc, Compiled& code);

  // The previous interpreted frame of the same walk, since recursion repeats it.
  struct Interpreted {
    VmAddress method = 0;
    VmAddress bytecode = 0;
    std::uint64_t version = 0;
    ShownFrame shown;
  };
  // A native method may have no bytecode pointer, and has one place only.
  static VmAddress place_of(VmAddress method, VmAddress bytecode) {
    return bytecode != 0 ? bytecode : method;
  }
  // False: the method has no id yet, or `method` is no Method*.
  bool interpreted(JNIEnv* jni, VmAddress method, VmAddress bytecode, Interpreted& frame);

 private:
  bool look_up_interpreted(JNIEnv* jni, Interpreted& frame);

  const CompiledFrames& compiled_;
  const MethodResolution& methods_;
  MethodIds& ids_;
  const RawWalk& raw_walk_;
  SeenMethods& names_;
  FrameCache cache_;
};

// In JVMTI's form.
inline RawFrame raw_frame(VmAddress id, std::int32_t bci) {
  return {reinterpret_cast<jmethodID>(id), bci};
}
inline RawFrame raw_frame(const VersionFrame& frame) { return raw_frame(frame.id, frame.bci); }
inline const void* as_version(VmAddress method) { return reinterpret_cast<const void*>(method); }

}  // namespace ddm
