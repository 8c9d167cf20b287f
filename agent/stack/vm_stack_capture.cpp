#include "stack/vm_stack_capture.h"

#include <utility>

#include "core/log.h"
#include "stack/layout_detection.h"

namespace ddm {
Result<std::unique_ptr<VmStackCapture>> VmStackCapture::create(JNIEnv* jni, jobject current,
                                                               const MethodPointers& pointers,
                                                               JvmtiStackCapture& jvmti,
                                                               SeenMethods& names) {
  auto layout = detect_vm_layout(jni, pointers);
  if (!layout) return layout.error();
  const auto threads = VmThreads::create(jni, current);
  if (!threads) return Error{"Thread.eetop is not as expected"};
  constexpr jint kFirstWithoutSweeper = 0x00140000;  // 20
  return std::unique_ptr<VmStackCapture>(new VmStackCapture(
      std::move(*layout), *threads, jvmti, names, jni->GetVersion() < kFirstWithoutSweeper));
}

VmStackCapture::VmStackCapture(VmLayout layout, VmThreads threads, JvmtiStackCapture& jvmti,
                               SeenMethods& names, bool code_is_swept)
    : layout_(std::move(layout)),
      threads_(threads),
      memory_(pages_),
      compiled_(layout_, memory_),
      methods_(layout_, pages_),
      ids_(names.jvmti(), methods_),
      raw_walk_(layout_, compiled_, methods_),
      places_(layout_, compiled_, methods_, ids_, raw_walk_, names),
      cache_(places_.cache()),
      jvmti_(jvmti),
      names_(names),
      code_is_swept_(code_is_swept) {}

void VmStackCapture::watch(JNIEnv* jni, const HeapPauses* pauses) {
  pauses_ = pauses;
  if (!knows_own_stack(jni)) return;
  if (pauses != nullptr) ids_.begin(jni);
  if (pauses == nullptr || (layout_.virtual_thread_entry_at | layout_.virtual_thread_entry) == 0)
    return;
  const auto parked = detect_parked_layout(jni);
  if (!parked) {
    log_info("frames of virtual threads in the heap are GetStackTrace's; missing: {}",
             parked.message());
    return;
  }
  parked_ = std::make_unique<ParkedStack>(layout_, *parked, *pauses, pages_, places_);
}

void VmStackCapture::capture(JNIEnv* jni, ShownStack& stack) {
  // The comparison is made first: a stack with an odd frame is not walked again.
  Compared compared;
  const bool due = check_.due();
  if (due) [[unlikely]]
    compared = check(jni);
  if (check_.trusted()) [[likely]] {
    const WalkEnd end = compared.odd ? compared.end : walk(jni, stack);
    // Stubs are decoded without a comparison: if the VM's tables are wrong, the walk ends odd.
    if (check_.code_check_due() && !compared.odd) [[unlikely]] {
      check_.walked(end == WalkEnd::kOdd);
    }
    if (end == WalkEnd::kComplete) [[likely]] {
      if (due) check_number(stack);
      return;
    }
    gave_up_[static_cast<std::size_t>(end)].fetch_add(1, std::memory_order_relaxed);
    stack.restart();
  }
  jvmti_.capture(jni, stack);
}

WalkEnd VmStackCapture::walk(JNIEnv* jni, ShownStack& stack) {
  KnownPlaces* const known = KnownPlaces::of_this_thread(epoch());
  if (known == nullptr) [[unlikely]]
    return WalkEnd::kNoMemory;
  Walk walk{FrameWalker(layout_, threads_.of(jni)), *known, trail_for(*known, stack), stack, {}};
  WalkEnd end = WalkEnd::kOdd;
  if (!walk.walker.begin(end)) return end;
  Step made = Step::kContinue;
  while (made == Step::kContinue) made = step(jni, walk, end);
  if (made == Step::kEnough) end = WalkEnd::kComplete;
  if (walk.trail == nullptr || end != WalkEnd::kComplete) return end;
  const bool whole = made == Step::kEnd && !walk.parked;
  CallTree* const tree = whole ? stack.traces() : nullptr;
  if (tree != nullptr) walk.trail->prefetch_in(*tree);
  walk.trail->end(whole);
  if (tree != nullptr && !stack.empty() && stack.size() <= tree->depth()) {
    stack.set_number(walk.trail->number_in(*tree, stack));
  }
  return end;
}

// Null where classes may be unloaded at any time, since every frame would have to be revalidated
// anyway; and for a walk of few frames, which would shorten the trail for the next walk.
StackTrail* VmStackCapture::trail_for(KnownPlaces& known, const ShownStack& stack) const {
  constexpr std::size_t kFew = 8;
  if (pauses_ == nullptr || stack.wanted() <= kFew) return nullptr;
  if (code_is_swept_ && !cache_.has_stamps()) return nullptr;
  return known.trail().begin(code_is_swept_ ? &cache_ : nullptr) ? &known.trail() : nullptr;
}

VmStackCapture::Step VmStackCapture::step(JNIEnv* jni, Walk& walk, WalkEnd& end) {
  const Step known = known_steps(walk);
  if (known != Step::kContinue) {
    if (known == Step::kEnd) end = WalkEnd::kComplete;
    return known;
  }
  switch (walk.walker.kind()) {
    case FrameKind::kCode:
      return compiled_step(jni, walk, end);
    case FrameKind::kInterpreted:
      return interpreted_step(jni, walk, end);
    case FrameKind::kEntry:
      return entry_step(walk, end);
  }
  return Step::kEnd;
}

// Classes are unloaded in pauses if the collector works in pauses only.
KnownPlaces::Epoch VmStackCapture::epoch() const {
  return {names_.generation().load(std::memory_order_acquire),
          pauses_ != nullptr ? HeapPauses::count(pauses_->number()) : 0};
}

// Without a sweeper, code is freed in pauses only; otherwise the nmethod must be revalidated.
[[gnu::always_inline]] inline bool VmStackCapture::is_same_code(
    const KnownPlaces::Known& known) const {
  return (pauses_ != nullptr && !code_is_swept_) ||
         cache_.is_current({known.identity_at, known.identity});
}

// A redefinition frees a former version's memory without a GC pause, and another method may then
// occupy that memory.
[[gnu::always_inline]] inline bool VmStackCapture::is_same_version(
    const KnownPlaces::Known& known) const {
  return methods_.version_of(known.identity_at).identity() == known.identity;
}

// Finds frames that are cached in one part and that FrameWalker::leave() can leave.
[[gnu::noinline]] bool VmStackCapture::find_whole(VmAddress pc, FrameCache::Entry& entry,
                                                  FrameCache::Identity& code) const {
  return cache_.find_compiled(pc, 0, entry, code) && !entry.more &&
         (entry.kind == CodeKind::kCompiled || entry.kind == CodeKind::kStub ||
          entry.kind == CodeKind::kPatched);
}

// Searches the thread's own places, then the cache of all threads; null: not found.
[[gnu::always_inline]] inline const KnownPlaces::Known* VmStackCapture::known_code(
    const Walk& walk, VmAddress pc) const {
  const KnownPlaces::Known* const known = walk.known.find(pc);
  if (known != nullptr && is_same_code(*known)) [[likely]]
    return known;
  FrameCache::Entry entry;
  FrameCache::Identity code;
  return find_whole(pc, entry, code) ? walk.known.insert(pc, code, entry) : nullptr;
}

[[gnu::flatten]] VmStackCapture::Step VmStackCapture::known_steps(Walk& walk) const {
  const FrameWalker& walker = walk.walker;
  // Local copies, so that they stay in registers.
  FrameWalker::Place at = walker.place();
  ShownStack::Progress progress = walk.stack.progress();
  Step step = Step::kContinue;
  while (step == Step::kContinue) {
    // Frames of the allocation itself are not in the trail, since another walk may show them.
    StackTrail* const trail = progress.on_top() ? nullptr : walk.trail;
    if (trail != nullptr && trail->continues_from(walker, at)) {
      walk.stack.set_progress(progress);
      FrameWalker::Place next;
      step = trail->follow(walk.stack, next);
      progress = walk.stack.progress();
      if (step == Step::kContinue) at = next;
      if (step == Step::kStays) step = Step::kContinue;
      if (step != Step::kContinue) break;
    }
    const FrameWalker::Place from = at;
    const FrameKind kind = walker.kind(from);
    const KnownPlaces::Known* known = nullptr;
    VmAddress method = 0, bytecode = 0;
    if (kind == FrameKind::kCode) {
      known = known_code(walk, from.pc);
      if (known == nullptr || !walker.leave(at, known->kind, known->bytes)) {
        at = from;
        break;
      }
    } else {
      if (kind == FrameKind::kEntry || !walker.read_interpreted(from, method, bytecode)) break;
      known = walk.known.find(PlaceLookup::place_of(method, bytecode));
      if (known == nullptr || known->identity_at != method || !is_same_version(*known) ||
          !walker.leave_interpreted(at)) {
        at = from;
        break;
      }
    }
    if (trail != nullptr) trail->open();
    for (const ShownFrame frame : known->shown()) {
      if (trail != nullptr) trail->add(frame);
      if (step == Step::kContinue && !walk.stack.add(frame, progress)) step = Step::kEnough;
    }
    if (trail == nullptr) continue;
    if (kind == FrameKind::kCode) {
      trail->close(from, walker.words_of_code(from, at, known->bytes, trail->words()),
                   known->identity_at, at);
    } else {
      trail->close(from, walker.words_of_interpreted(from, method, bytecode, at, trail->words()), 0,
                   at);
    }
  }
  walk.walker.set_place(at);
  walk.stack.set_progress(progress);
  return step;
}

VmStackCapture::Step VmStackCapture::compiled_step(JNIEnv* jni, Walk& walk, WalkEnd& end) {
  FrameWalker& walker = walk.walker;
  const FrameWalker::Place from = walker.place();
  PlaceLookup::Compiled code;
  if (!places_.find_compiled(from.pc, code)) [[unlikely]] {
    end = WalkEnd::kOdd;
    if (check_.code_check_due() && !may_decode(jni, from.pc)) return Step::kEnd;
    end = places_.decode_compiled(jni, from.pc, code);
    if (end != WalkEnd::kComplete) return Step::kEnd;
  }
  if (code.kind == CodeKind::kBarrier) {  // the rest of the frames is in the heap
    walk.parked = true;
    return ended(parked_ == nullptr
                     ? WalkEnd::kBarrier
                     : parked_->add_to(jni, threads_.of(jni), walk.known.parked(), walk.stack),
                 end);
  }
  // The rest of the walk is made without the trail, which stays as it was.
  if (!may_be_kept(code.kind) && walk.trail != nullptr) std::exchange(walk.trail, {})->abandon();
  if (code.kind == CodeKind::kUpcall) {
    return walker.pop_upcall(code.bytes, end) ? Step::kContinue : Step::kEnd;
  }
  StackTrail* const trail = walk.stack.on_top() ? nullptr : walk.trail;
  if (trail != nullptr) trail->open();
  for (std::size_t i = 0; i < code.count; ++i) {
    if (trail != nullptr) trail->add(code.frames[i]);
    // The step is not closed and so not in the trail: the next walk makes it again.
    if (!walk.stack.add(code.frames[i])) return Step::kEnough;
  }
  if (code.kind == CodeKind::kVirtualThreadEnd) return ended(WalkEnd::kComplete, end);
  if (!walker.leave(code.kind, code.bytes)) return ended(WalkEnd::kOdd, end);
  if (trail != nullptr) {
    trail->close(from, walker.words_of_code(from, walker.place(), code.bytes, trail->words()),
                 code.identity.at, walker.place());
  }
  return Step::kContinue;
}

VmStackCapture::Step VmStackCapture::interpreted_step(JNIEnv* jni, Walk& walk, WalkEnd& end) {
  FrameWalker& walker = walk.walker;
  StackTrail* const trail = walk.stack.on_top() ? nullptr : walk.trail;
  const FrameWalker::Place from = walker.place();
  VmAddress method = 0, bytecode = 0;
  if (!walker.pop_interpreted(method, bytecode)) return ended(WalkEnd::kOdd, end);
  PlaceLookup::Interpreted& last = walk.last;
  if (!places_.interpreted(jni, method, bytecode, last)) {
    return ended(WalkEnd::kUnknownMethod, end);
  }
  walk.known.insert(PlaceLookup::place_of(method, bytecode), {method, last.version}, last.shown);
  if (trail != nullptr) {
    trail->open();
    trail->add(last.shown);
    trail->close(
        from, walker.words_of_interpreted(from, method, bytecode, walker.place(), trail->words()),
        0, walker.place());
  }
  return walk.stack.add(last.shown) ? Step::kContinue : Step::kEnough;
}

VmStackCapture::Step VmStackCapture::entry_step(Walk& walk, WalkEnd& end) {
  FrameWalker& walker = walk.walker;
  StackTrail* const trail = walk.stack.on_top() ? nullptr : walk.trail;
  const FrameWalker::Place from = walker.place();
  const bool goes_on = walker.pop_entry(end);
  if (!goes_on && end != WalkEnd::kComplete) return Step::kEnd;
  if (trail != nullptr) {
    trail->open();
    const std::size_t words =
        walker.words_of_entry(from, goes_on ? &walker.place() : nullptr, trail->words());
    trail->close(from, words, 0, goes_on ? walker.place() : from);
  }
  return goes_on ? Step::kContinue : Step::kEnd;
}

}  // namespace ddm
