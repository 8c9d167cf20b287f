#include "stack/parked_stack.h"

namespace ddm {

WalkEnd ParkedStack::add_to(JNIEnv* jni, VmAddress java_thread, ParkedTrails& trails,
                            ShownStack& stack) {
  ParkedFrames::Run run;
  bool enough = false;
  for (bool first = true; first || (run.parent != 0 && !enough); first = false) {
    std::optional<std::span<const ShownFrame>> known;
    std::size_t copied = 0;
    {
      const ParkedFrames::Reading reading(frames_.pauses());
      if (first ? !frames_.find(reading, java_thread, run) : !frames_.find_outer(reading, run)) {
        return WalkEnd::kBarrier;
      }
      if (run.words() == 0) return WalkEnd::kComplete;
      known = trails.find(run);
      if (!known) copied = frames_.copy(reading, run, trails.buffer());
      if (!reading.undisturbed()) return WalkEnd::kBarrier;
    }
    if (known) {
      for (const ShownFrame frame : *known) {
        if (enough = !stack.add(frame); enough) break;
      }
    } else if (const WalkEnd end = walk_run(jni, run, copied, trails, stack, enough);
               end != WalkEnd::kComplete) {
      return end;
    }
  }
  return WalkEnd::kComplete;
}

WalkEnd ParkedStack::walk_run(JNIEnv* jni, const ParkedFrames::Run& run, std::size_t copied,
                              ParkedTrails& trails, ShownStack& stack, bool& enough) {
  ParkedWalk walk(layout_, trails.buffer().first(copied), run.words());
  trails.begin();
  const auto add = [&](ShownFrame frame) {
    trails.gather(frame);
    if (!enough) enough = !stack.add(frame);
  };
  PlaceLookup::Interpreted interpreted{};
  PlaceLookup::Compiled code;
  // Walks to the end even if the stack has enough frames, so that the trail can be kept.
  while (walk.good() && !walk.done() && !(enough && trails.overflown())) {
    if (walk.interpreted()) {
      VmAddress method = 0, bytecode = 0;
      if (!walk.read_interpreted(method, bytecode)) break;
      if (!places_.interpreted(jni, method, bytecode, interpreted)) {
        return WalkEnd::kUnknownMethod;
      }
      add(interpreted.shown);
      walk.leave_interpreted();
      continue;
    }
    const WalkEnd end = places_.compiled(jni, walk.pc(), code);
    if (end != WalkEnd::kComplete) return end;
    if (code.kind == CodeKind::kBarrier || code.kind == CodeKind::kVirtualThreadEnd ||
        code.kind == CodeKind::kUpcall) {
      return WalkEnd::kOdd;
    }
    for (std::size_t i = 0; i < code.count; ++i) add(code.frames[i]);
    walk.leave(code.kind, code.bytes);
  }
  if (walk.good() && walk.done()) trails.insert(run, walk);
  return enough || (walk.good() && walk.done()) ? WalkEnd::kComplete : WalkEnd::kBarrier;
}

}  // namespace ddm
