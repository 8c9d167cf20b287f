#include "stack/walk/raw_walk.h"

namespace ddm {

VersionFrame RawWalk::interpreted_frame(VmAddress method, VmAddress bytecode) const {
  const WalkedMethod version = methods_.checked_version_of(method);
  if (version.id == 0) return {};
  const VmAddress bci = bytecode - version.code;
  // A native method's pointer is null, or stands where its code would begin.
  if (bytecode == 0 || (version.code_size == 0 && bci == 0)) {
    return {version.id, kNoBci, version.code_size};
  }
  if (bci >= version.code_size) return {};
  return {version.id, static_cast<std::int32_t>(bci), version.code_size};
}

WalkEnd RawWalk::walk(VmAddress java_thread, std::span<VersionFrame> frames,
                      std::size_t& count) const {
  count = 0;
  FrameWalker walker(layout_, java_thread);
  WalkEnd end = WalkEnd::kOdd;
  if (!walker.begin(end)) return end;
  CompiledFrame found;
  while (count < frames.size()) {
    switch (walker.kind()) {
      case FrameKind::kCode:
        compiled_.decode(walker.pc(), found);
        if (found.kind == CodeKind::kVirtualThreadEnd) return WalkEnd::kComplete;
        if (found.kind == CodeKind::kBarrier) return WalkEnd::kBarrier;
        if (found.kind == CodeKind::kOdd) return WalkEnd::kOdd;
        for (std::size_t i = 0; i < found.count && count < frames.size(); ++i) {
          const WalkedMethod version = methods_.checked_version_of(found.frames[i].method);
          if (version.id == 0) return WalkEnd::kUnknownMethod;
          frames[count++] = {version.id, found.frames[i].bci, version.code_size};
        }
        if (!walker.leave(found.kind, found.bytes)) return WalkEnd::kOdd;
        break;
      case FrameKind::kInterpreted: {
        VmAddress method = 0, bytecode = 0;
        if (!walker.pop_interpreted(method, bytecode)) return WalkEnd::kOdd;
        frames[count] = interpreted_frame(method, bytecode);
        if (frames[count].id == 0) return WalkEnd::kUnknownMethod;
        ++count;
        break;
      }
      case FrameKind::kEntry:
        if (!walker.pop_entry(end)) return end;
        break;
    }
  }
  return WalkEnd::kComplete;
}

}  // namespace ddm
