#include "stack/walk/raw_walk.h"

namespace ddm {

VersionFrame RawWalk::interpreted_frame(VmAddress method, VmAddress bytecode) const {
  const WalkedMethod version = methods_.checked_version_of(method);
  if (version.id == 0) return {};
  const VmAddress bci = bytecode - version.code;
  // A native method's bytecode pointer is null, or points to where its code would begin.
  if (bytecode == 0 || (version.code_size == 0 && bci == 0)) {
    return {version.id, kNoBci, method};
  }
  if (bci >= version.code_size) return {};
  return {version.id, static_cast<std::int32_t>(bci), method};
}

bool RawWalk::add(const CompiledFrame& found, std::span<VersionFrame> frames,
                  std::size_t& count) const {
  for (std::size_t i = 0; i < found.count && count < frames.size(); ++i) {
    const WalkedMethod version = methods_.checked_version_of(found.frames[i].method);
    if (version.id == 0) return false;
    frames[count++] = {version.id, found.frames[i].bci, found.frames[i].method, true};
  }
  return true;
}

WalkEnd RawWalk::walk_parked(VmAddress java_thread, const ParkedFrames& parked,
                             std::span<VersionFrame> frames, std::size_t& count) const {
  constexpr std::size_t kMostWords = 1024;
  VmAddress words[kMostWords];
  ParkedFrames::Run run;
  for (bool first = true; first || (run.parent != 0 && count < frames.size()); first = false) {
    std::size_t copied = 0;
    {
      const ParkedFrames::Reading reading(parked.pauses());
      if (first ? !parked.find(reading, java_thread, run) : !parked.find_outer(reading, run)) {
        return WalkEnd::kBarrier;
      }
      if (run.words() == 0) return WalkEnd::kComplete;
      copied = parked.copy(reading, run, words);
    }
    if (copied == 0) return WalkEnd::kBarrier;
    ParkedWalk frames_of_run(layout_, {words, copied}, run.words());
    const WalkEnd end = walk_run(frames_of_run, frames, count);
    if (end != WalkEnd::kComplete) return end;
  }
  return WalkEnd::kComplete;
}

WalkEnd RawWalk::walk_run(ParkedWalk& run, std::span<VersionFrame> frames,
                          std::size_t& count) const {
  CompiledFrame found;
  while (!run.done() && count < frames.size()) {
    if (!run.good()) return WalkEnd::kBarrier;
    if (run.interpreted()) {
      VmAddress method = 0, bytecode = 0;
      if (!run.read_interpreted(method, bytecode)) return WalkEnd::kBarrier;
      frames[count] = interpreted_frame(method, bytecode);
      if (frames[count].id == 0) return WalkEnd::kUnknownMethod;
      ++count;
      run.leave_interpreted();
      continue;
    }
    compiled_.decode(run.pc(), found);
    if (found.kind == CodeKind::kOdd || found.kind == CodeKind::kBarrier ||
        found.kind == CodeKind::kVirtualThreadEnd || found.kind == CodeKind::kUpcall) {
      return WalkEnd::kOdd;
    }
    if (!add(found, frames, count)) return WalkEnd::kUnknownMethod;
    run.leave(found.kind, found.bytes);
  }
  return WalkEnd::kComplete;
}

WalkEnd RawWalk::walk(VmAddress java_thread, std::span<VersionFrame> frames, std::size_t& count,
                      const ParkedFrames* parked) const {
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
        if (found.kind == CodeKind::kBarrier) {
          return parked != nullptr ? walk_parked(java_thread, *parked, frames, count)
                                   : WalkEnd::kBarrier;
        }
        if (found.kind == CodeKind::kUpcall) {
          if (!walker.pop_upcall(found.bytes, end)) return end;
          break;
        }
        if (found.kind == CodeKind::kOdd) return WalkEnd::kOdd;
        if (!add(found, frames, count)) return WalkEnd::kUnknownMethod;
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
