// Compares the agent's walks with GetStackTrace, and the VM's stack bounds with the system's.
#include <algorithm>
#include <memory>
#include <new>

#include "core/log.h"
#include "stack/vm_stack_capture.h"
#include "vm/memory/vm_claims.h"

namespace ddm {
namespace {

// One stack by both walkers: too large for what a program's thread may have left of its own stack.
struct BothWays {
  RawFrame reference[WalkerCheck::kFrames], walked[WalkerCheck::kFrames];
  VersionFrame found[WalkerCheck::kFrames];
};

const char* reason_of(WalkEnd end) {
  constexpr const char* kReasons[] = {"complete",          "virtual thread", "odd frame",
                                      "method without id", "no memory",      "upcall"};
  return kReasons[static_cast<std::size_t>(end)];
}

}  // namespace

bool VmStackCapture::knows_own_stack(JNIEnv* jni) {
  VmClaims claims;
  const VmAddress thread = threads_.of(jni);
  expect_own_stack(claims, thread + layout_.stack_base, thread + layout_.stack_size);
  for (const Offset offset : {layout_.anchor.sp, layout_.anchor.pc, layout_.anchor.fp}) {
    claims.read<VmAddress>(thread + offset, "JavaThread::_anchor");
  }
  if (!claims.hold()) check_.distrust(claims.wrong());
  return claims.hold();
}

// If a class is redefined between the two walks, its frames get other ids: only a difference in all
// tries is an error.
VmStackCapture::Compared VmStackCapture::check(JNIEnv* jni, bool with_cache) {
  constexpr int kAttempts = 4;
  Compared result;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    result = compare(jni, with_cache);
    if (result.difference == nullptr) break;
  }
  if (result.judged) check_.compared(result.difference, result.odd);
  return result;
}

// The ids of decoded methods are passed to JVMTI, which does not validate them.
bool VmStackCapture::may_decode(JNIEnv* jni, VmAddress pc) {
  CompiledFrame found;
  compiled_.decode(pc, found);
  const Compared result = check(jni, false);
  if (result.difference != nullptr || result.odd || !check_.trusted()) return false;
  if (found.count == 0) return true;                        // a stub; the stack was correct
  if (!result.has_code) return check_.code_ever_matched();  // further out than compared
  if (check_.code_matched()) memory_.proven();
  return true;
}

VmStackCapture::Compared VmStackCapture::compare(JNIEnv* jni, bool with_cache) {
  Compared result;
  const std::unique_ptr<BothWays> buffers(new (std::nothrow) BothWays);
  if (buffers == nullptr) {
    result.end = WalkEnd::kNoMemory;
    result.odd = true;  // code is not decoded before a comparison
    return result;
  }
  // GetStackTrace first: it gives the methods on the stack their ids.
  const std::size_t reference_count = jvmti_.frames_from(0, buffers->reference);
  std::size_t count = 0;
  const WalkEnd end = raw_walk_.walk(threads_.of(jni), buffers->found, count,
                                     parked_ != nullptr ? &parked_->frames() : nullptr);
  // In the dead phase, in which daemon threads still run, GetStackTrace fails.
  if (reference_count == 0 && count > 0) {
    result.judged = false;
    result.odd = true;
    return result;
  }
  const std::span<const RawFrame> reference{buffers->reference, reference_count};
  const std::span<const VersionFrame> found{buffers->found, count};
  const std::span<const RawFrame> walked{buffers->walked, count};
  // After GetStackTrace all methods on the stack have ids.
  result.odd = end == WalkEnd::kOdd || end == WalkEnd::kUnknownMethod;
  result.end = end;
  result.has_code = std::ranges::any_of(found, [](auto& frame) { return frame.compiled; });
  std::ranges::transform(found, buffers->walked,
                         [](const VersionFrame& frame) { return raw_frame(frame); });
  const bool complete = end == WalkEnd::kComplete;
  result.difference = WalkerCheck::difference(walked, complete, reference);
  if (result.difference != nullptr || result.odd) explain(jni, end, walked, reference);
  if (with_cache && result.difference == nullptr && complete && !cache_agrees(jni, found)) {
    result.difference = "cached frames differ";
  }
  return result;
}

// Compares the frames of a cached walk with those decoded just now.
bool VmStackCapture::cache_agrees(JNIEnv* jni, std::span<const VersionFrame> found) {
  ShownStack decoded(TopFrames::kAsTheyAre, WalkerCheck::kFrames);
  ShownStack cached(TopFrames::kAsTheyAre, WalkerCheck::kFrames);
  for (const VersionFrame& frame : found) {
    if (!decoded.add(names_.shown(jni, raw_frame(frame), as_version(frame.method)))) break;
  }
  if (walk(jni, cached) != WalkEnd::kComplete) return true;
  const auto mine = decoded.frames();
  const auto theirs = cached.frames();
  const auto [a, b] = std::mismatch(mine.begin(), mine.end(), theirs.begin(), theirs.end());
  // The cached walk has more frames if the decoded ones were cut: hidden frames do not count.
  if (a == mine.end() && (b == theirs.end() || found.size() == WalkerCheck::kFrames)) return true;
  const auto method = [](auto at, auto last) { return at != last ? at->method : kUnknownName; };
  log_debug("frame {} is method {}, in the cache {}", a - mine.begin(), method(a, mine.end()),
            method(b, theirs.end()));
  return false;
}

// Compares the frames of the stack's number with those of the walk. Numbers with a gap are skipped:
// the tree chooses the callers below which it puts the gap.
void VmStackCapture::check_number(ShownStack& stack) {
  TraceNumber number = stack.number();
  if (number == kNoTrace || stack.traces()->lacks_frames(number)) return;
  for (const Frame& frame : stack.frames()) {
    if (number <= kCutTrace || stack.traces()->frame(number) != frame) {
      return check_.compared("the number is another stack's", false);
    }
    number = stack.traces()->caller(number);
  }
  if (number != kEmptyTrace) check_.compared("the number is a deeper stack's", false);
}

void VmStackCapture::explain(JNIEnv* jni, WalkEnd end, std::span<const RawFrame> walked,
                             std::span<const RawFrame> reference) const {
  if (!log_enabled(LogLevel::kDebug)) return;
  const auto [mine, theirs] =
      std::mismatch(walked.begin(), walked.end(), reference.begin(), reference.end());
  const auto text = [&](auto at, auto last) {
    return jvmti_.text_of(jni, at != last ? *at : RawFrame{nullptr, 0});
  };
  log_debug("a walk ({}) of {} frames differs in frame {}: {}, GetStackTrace says {}, below {}",
            reason_of(end), walked.size(), mine - walked.begin(), text(mine, walked.end()),
            text(theirs, reference.end()),
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
