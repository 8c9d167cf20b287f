#include "stack/vm_stack_capture.h"

#include <algorithm>

#include "log.h"
#include "stack/layout_detection.h"

namespace ddm {
namespace {

const char* reason_of(WalkEnd end) {
  switch (end) {
    case WalkEnd::kBarrier:
      return "virtual thread";
    case WalkEnd::kOdd:
      return "odd frame";
    case WalkEnd::kUnknownMethod:
      return "method without id";
    case WalkEnd::kComplete:
      return "complete";
    case WalkEnd::kNoMemory:
      return "no memory";
    case WalkEnd::kCount:
      break;
  }
  return "";
}

RawFrame raw_frame(VmAddress id, std::int32_t bci) {
  return {reinterpret_cast<jmethodID>(id), bci};
}

RawFrame raw_frame(const VersionFrame& frame) { return raw_frame(frame.id, frame.bci); }

}  // namespace

Result<std::unique_ptr<VmStackCapture>> VmStackCapture::create(JNIEnv* jni, jobject current,
                                                               JvmtiStackCapture& jvmti,
                                                               FrameNames& names) {
  auto layout = detect_vm_layout();
  if (!layout) return layout.error();
  const auto threads = VmThreads::create(jni, current);
  if (!threads) return Error{"Thread.eetop is not as expected"};
  constexpr jint kFirstWithoutSweeper = 0x00140000;  // 20
  return std::unique_ptr<VmStackCapture>(new VmStackCapture(
      std::move(*layout), *threads, jvmti, names, jni->GetVersion() < kFirstWithoutSweeper));
}

VmStackCapture::VmStackCapture(VmLayout layout, VmThreads threads, JvmtiStackCapture& jvmti,
                               FrameNames& names, bool code_is_swept)
    : layout_(std::move(layout)),
      threads_(threads),
      heaps_(layout_),
      compiled_(layout_, heaps_),
      methods_(layout_, pages_),
      raw_walk_(layout_, compiled_, methods_),
      cache_(names.generation(), layout_.block_used - layout_.block_header - layout_.compile_id),
      jvmti_(jvmti),
      names_(names),
      code_is_swept_(code_is_swept) {}

void VmStackCapture::watch(const GcPauses* pauses) { pauses_ = pauses; }

void VmStackCapture::capture(JNIEnv* jni, ShownStack& stack) {
  if (check_.due()) [[unlikely]]
    check(jni);
  if (check_.trusted()) [[likely]] {
    const WalkEnd end = walk(jni, stack);
    if (end == WalkEnd::kComplete) [[likely]]
      return;
    gave_up_[static_cast<std::size_t>(end)].fetch_add(1, std::memory_order_relaxed);
    stack.restart();
  }
  jvmti_.capture(jni, stack);
}

WalkEnd VmStackCapture::walk(JNIEnv* jni, ShownStack& stack) {
  FrameWalker walker(layout_, threads_.of(jni));
  WalkEnd end = WalkEnd::kOdd;
  if (!walker.begin(end)) return end;
  FramePositions* const positions = FramePositions::of_this_thread(epoch());
  if (positions == nullptr) [[unlikely]]
    return WalkEnd::kNoMemory;
  Interpreted last;
  for (;;) {
    Step step = known_steps(walker, *positions, stack);
    if (step == Step::kOn) {
      switch (walker.kind()) {
        case FrameKind::kCode:
          step = compiled_step(jni, walker, *positions, stack, end);
          break;
        case FrameKind::kInterpreted:
          step = interpreted_step(jni, walker, *positions, last, stack, end);
          break;
        case FrameKind::kEntry:
          if (!walker.pop_entry(end)) return end;
          break;
      }
    }
    if (step == Step::kEnough) return WalkEnd::kComplete;
    if (step == Step::kEnd) return end;
  }
}

// A class is unloaded in a pause, if the collector works in pauses only.
FramePositions::Epoch VmStackCapture::epoch() const {
  return {names_.generation().load(std::memory_order_acquire),
          pauses_ != nullptr ? GcPauses::count(pauses_->number()) : 0};
}

// Code is given back in pauses, too, where no sweeper does it.
[[gnu::always_inline]] inline bool VmStackCapture::is_same_code(
    const FramePositions::Position& position) const {
  return (pauses_ != nullptr && !code_is_swept_) ||
         cache_.still_stands({position.identity_at, position.identity});
}

[[gnu::always_inline]] inline bool VmStackCapture::is_same_version(
    const FramePositions::Position& position) const {
  return pauses_ != nullptr ||
         methods_.version_of(position.identity_at).identity() == position.identity;
}

VmStackCapture::Step VmStackCapture::known_steps(FrameWalker& walker, FramePositions& positions,
                                                 ShownStack& stack) const {
  // Of their own, so that they stay in registers.
  FrameWalker::Place at = walker.place();
  ShownStack::Progress progress = stack.progress();
  Step step = Step::kOn;
  while (step == Step::kOn) {
    const FramePositions::Position& position = positions.at(at.sp);
    if (position.key != positions.key_of(at.sp)) break;
    const FrameKind kind = walker.kind(at);
    if (kind == FrameKind::kCode) {
      if (position.place != at.pc || !is_same_code(position) ||
          !walker.leave(at, position.kind, position.bytes)) {
        break;
      }
    } else {
      VmAddress method = 0, bytecode = 0;
      if (kind == FrameKind::kEntry || !walker.read_interpreted(at, method, bytecode) ||
          position.place != bytecode || position.identity_at != method ||
          !is_same_version(position) || !walker.leave_interpreted(at)) {
        break;
      }
    }
    for (std::size_t i = 0; i < position.count && step == Step::kOn; ++i) {
      if (!stack.add(position.frames[i], progress)) step = Step::kEnough;
    }
    if (position.kind == CodeKind::kVirtualThreadEnd) step = Step::kEnough;
  }
  walker.stand_at(at);
  stack.set_progress(progress);
  return step;
}

VmStackCapture::Step VmStackCapture::compiled_step(JNIEnv* jni, FrameWalker& walker,
                                                   FramePositions& positions, ShownStack& stack,
                                                   WalkEnd& end) {
  FrameCache::Entry entry;
  FrameCache::Identity identity;
  unsigned part = 0;
  do {
    if (!cache_.find_compiled(walker.pc(), part, entry, identity)) [[unlikely]] {
      return learn_compiled(jni, walker, part * FrameCache::kFramesOfPart, stack, end);
    }
    if (part == 0 && !entry.more && entry.count <= FramePositions::kFrames) {
      positions.at(walker.sp()) = {positions.key_of(walker.sp()), walker.pc(), identity, entry};
    }
    for (std::size_t i = 0; i < entry.count; ++i) {
      if (!stack.add(entry.frames[i])) return Step::kEnough;
    }
    ++part;
  } while (entry.more);
  if (entry.kind == CodeKind::kVirtualThreadEnd) return Step::kEnough;
  if (walker.leave(entry.kind, entry.bytes)) return Step::kOn;
  end = WalkEnd::kOdd;
  return Step::kEnd;
}

VmStackCapture::Step VmStackCapture::learn_compiled(JNIEnv* jni, FrameWalker& walker,
                                                    std::size_t known, ShownStack& stack,
                                                    WalkEnd& end) {
  const std::uint32_t generation = names_.generation().load(std::memory_order_acquire);
  CompiledFrame found;
  compiled_.decode(walker.pc(), found);
  end = found.kind == CodeKind::kBarrier ? WalkEnd::kBarrier : WalkEnd::kOdd;
  if (found.kind == CodeKind::kBarrier || found.kind == CodeKind::kOdd) return Step::kEnd;

  std::array<ShownFrame, CompiledFrame::kMostInlined> shown;
  std::size_t count = 0;
  for (std::size_t i = 0; i < found.count; ++i) {
    const WalkedMethod version = methods_.checked_version_of(found.frames[i].method);
    if (version.id == 0) {
      end = WalkEnd::kUnknownMethod;
      return Step::kEnd;
    }
    shown[count++] =
        names_.shown(jni, raw_frame(version.id, found.frames[i].bci), version.code_size);
  }

  FrameCache::Entry entry;
  entry.kind = found.kind;
  entry.bytes = found.bytes;
  std::size_t kept = 0;
  for (unsigned part = 0; part == 0 || kept < count; ++part) {
    entry.count = std::min(count - kept, FrameCache::kFramesOfPart);
    entry.more = kept + entry.count < count;
    std::copy_n(shown.begin() + static_cast<std::ptrdiff_t>(kept), entry.count,
                entry.frames.begin());
    cache_.insert(walker.pc(), part, {found.identity_at, found.identity}, entry, generation);
    kept += entry.count;
  }
  for (std::size_t i = known; i < count; ++i) {
    if (!stack.add(shown[i])) return Step::kEnough;
  }
  if (entry.kind == CodeKind::kVirtualThreadEnd) return Step::kEnough;
  return walker.leave(entry.kind, entry.bytes) ? Step::kOn : Step::kEnd;
}

VmStackCapture::Step VmStackCapture::interpreted_step(JNIEnv* jni, FrameWalker& walker,
                                                      FramePositions& positions, Interpreted& last,
                                                      ShownStack& stack, WalkEnd& end) {
  const VmAddress sp = walker.sp();
  VmAddress method = 0, bytecode = 0;
  if (!walker.pop_interpreted(method, bytecode)) {
    end = WalkEnd::kOdd;
    return Step::kEnd;
  }
  if (method != last.method || bytecode != last.bytecode) {
    last.method = method;
    last.bytecode = bytecode;
    if (!look_up_interpreted(jni, last)) {
      end = WalkEnd::kUnknownMethod;
      return Step::kEnd;
    }
  }
  positions.at(sp) = {positions.key_of(sp), bytecode, {method, last.version}, last.shown};
  return stack.add(last.shown) ? Step::kOn : Step::kEnough;
}

bool VmStackCapture::look_up_interpreted(JNIEnv* jni, Interpreted& frame) {
  // A native method may have no bytecode pointer, and stands at one place only.
  const VmAddress place = frame.bytecode != 0 ? frame.bytecode : frame.method;
  FrameCache::Entry entry;
  FrameCache::Identity identity;
  frame.version = methods_.version_of(frame.method).identity();
  if (cache_.find_interpreted(place, entry, identity) && identity.at == frame.method &&
      identity.value == frame.version) {
    frame.shown = entry.frames[0];
    return true;
  }
  const std::uint32_t generation = names_.generation().load(std::memory_order_acquire);
  const VersionFrame found = raw_walk_.interpreted_frame(frame.method, frame.bytecode);
  if (found.id == 0) return false;
  frame.shown = names_.shown(jni, raw_frame(found), found.code_size);
  entry.kind = CodeKind::kCompiled;
  entry.more = false;
  entry.count = 1;
  entry.bytes = 0;
  entry.frames[0] = frame.shown;
  frame.version = methods_.version_of(frame.method).identity();
  cache_.insert(place, 0, {frame.method, frame.version}, entry, generation);
  return true;
}

std::size_t VmStackCapture::capture_raw(JNIEnv* jni, std::span<RawFrame> frames) {
  VersionFrame found[WalkerCheck::kFrames];
  std::size_t count = 0;
  const std::size_t wanted = std::min(frames.size(), std::size(found));
  if (!check_.trusted() || wanted < frames.size() ||
      raw_walk_.walk(threads_.of(jni), {found, wanted}, count) != WalkEnd::kComplete) {
    return jvmti_.capture_raw(jni, frames);
  }
  for (std::size_t i = 0; i < count; ++i) frames[i] = raw_frame(found[i]);
  return count;
}

// A class that is redefined between two looks at one stack gives its frames other ids: only what
// differs time and again is wrong.
void VmStackCapture::check(JNIEnv* jni) {
  constexpr int kLooks = 4;
  const char* difference = nullptr;
  for (int look = 0; look < kLooks; ++look) {
    difference = compare(jni);
    if (difference == nullptr) break;
  }
  check_.compared(difference);
}

const char* VmStackCapture::compare(JNIEnv* jni) {
  // GetStackTrace first: it gives the methods on the stack their ids.
  RawFrame official[WalkerCheck::kFrames], walked[WalkerCheck::kFrames];
  const std::size_t official_count = jvmti_.capture_raw(jni, official);
  VersionFrame found[WalkerCheck::kFrames];
  std::size_t count = 0;
  const WalkEnd end = raw_walk_.walk(threads_.of(jni), found, count);
  for (std::size_t i = 0; i < count; ++i) walked[i] = raw_frame(found[i]);
  const bool complete = end == WalkEnd::kComplete;
  const char* difference =
      WalkerCheck::difference({walked, count}, complete, {official, official_count});
  if (difference != nullptr || end == WalkEnd::kOdd || end == WalkEnd::kUnknownMethod) {
    explain(jni, end, {walked, count}, {official, official_count});
  }
  if (difference != nullptr || !complete) return difference;
  return cache_agrees(jni, {found, count}) ? nullptr : "cached frames differ";
}

// The frames in the cache against those that were decoded just now.
bool VmStackCapture::cache_agrees(JNIEnv* jni, std::span<const VersionFrame> found) {
  ShownStack decoded(TopFrames::kAsTheyAre, WalkerCheck::kFrames);
  ShownStack cached(TopFrames::kAsTheyAre, WalkerCheck::kFrames);
  for (const VersionFrame& frame : found) {
    if (!decoded.add(names_.shown(jni, raw_frame(frame), frame.code_size))) break;
  }
  if (walk(jni, cached) != WalkEnd::kComplete) return true;
  const auto mine = decoded.frames();
  const auto theirs = cached.frames();  // more of them: hidden frames are not counted
  const auto [a, b] = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end());
  if (a == mine.end()) return true;
  log_debug("frame {} is method {} @ {}, in the cache {} @ {}", a - mine.begin(), a->method, a->bci,
            b != theirs.end() ? b->method : 0, b != theirs.end() ? b->bci : 0);
  return false;
}

void VmStackCapture::explain(JNIEnv* jni, WalkEnd end, std::span<const RawFrame> walked,
                             std::span<const RawFrame> official) const {
  if (!log_enabled(LogLevel::kDebug)) return;
  const auto [mine, theirs] =
      std::mismatch(walked.begin(), walked.end(), official.begin(), official.end());
  const auto text = [&](auto at, auto last) {
    return jvmti_.text_of(jni, at != last ? *at : RawFrame{nullptr, 0});
  };
  log_debug("a walk ({}) of {} frames differs in frame {}: {}, GetStackTrace says {}, below {}",
            reason_of(end), walked.size(), mine - walked.begin(), text(mine, walked.end()),
            text(theirs, official.end()),
            mine != walked.begin() ? jvmti_.text_of(jni, *std::prev(mine)) : "the top");
}

WalkerCounts VmStackCapture::counts() const {
  WalkerCounts result = check_.counts();
  for (std::size_t i = 0; i < gave_up_.size(); ++i) {
    const std::int64_t count = gave_up_[i].load(std::memory_order_relaxed);
    if (count > 0) result.gave_up[reason_of(static_cast<WalkEnd>(i))] = count;
  }
  return result;
}

}  // namespace ddm
