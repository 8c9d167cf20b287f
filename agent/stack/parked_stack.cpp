#include "stack/parked_stack.h"

namespace ddm {

WalkEnd ParkedStack::add_to(JNIEnv* jni, VmAddress java_thread, ParkedTrails& trails,
                            ShownStack& stack) {
  ParkedFrames::Run run;
  if (!frames_.find(java_thread, run)) return WalkEnd::kBarrier;
  bool enough = false;
  while (run.words() > 0) {
    const WalkEnd end = add_run(jni, run, trails, stack, enough);
    if (end != WalkEnd::kComplete || enough || run.parent == 0) return end;
    if (!frames_.find_outer(run)) return WalkEnd::kBarrier;
  }
  return WalkEnd::kComplete;
}

WalkEnd ParkedStack::add_run(JNIEnv* jni, const ParkedFrames::Run& run, ParkedTrails& trails,
                             ShownStack& stack, bool& enough) {
  const ParkedTrails::Found known = trails.find(run);
  if (!frames_.undisturbed(run)) return WalkEnd::kBarrier;
  if (known.good) {
    for (const ShownFrame frame : known.frames) {
      if (enough = !stack.add(frame); enough) break;
    }
    return WalkEnd::kComplete;
  }
  const std::size_t copied = frames_.copy(run, trails.buffer());
  if (copied == 0) return WalkEnd::kBarrier;
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
    if (code.kind == CodeKind::kBarrier || code.kind == CodeKind::kVirtualThreadEnd) {
      return WalkEnd::kOdd;
    }
    for (std::size_t i = 0; i < code.count; ++i) add(code.frames[i]);
    walk.leave(code.kind, code.bytes);
  }
  if (walk.good() && walk.done()) trails.insert(run, walk);
  return enough || (walk.good() && walk.done()) ? WalkEnd::kComplete : WalkEnd::kBarrier;
}

}  // namespace ddm
