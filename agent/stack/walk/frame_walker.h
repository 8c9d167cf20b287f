// Steps through the frames of the calling thread's stack, from the anchor that the VM sets when
// Java calls native code.
//
// Validates everything read from the stack: an address must be between the stack pointer and the
// stack's base, aligned, and higher than the previous one. Anything else is odd and ends the walk.
// The content of a frame is decoded by CompiledFrames (compiled code) or read from the frame
// (interpreter).
#pragma once

#include "stack/walk/compiled_frames.h"

namespace ddm {

enum class FrameKind : std::uint8_t { kInterpreted, kEntry, kCode };

class FrameWalker {
 public:
  // The position of a walk. A loop keeps it in registers and stores it with set_place().
  struct Place {
    VmAddress sp = 0, pc = 0, fp = 0;
    VmAddress fp_at = 0;  // address that fp was read from; 0: none
    bool unpatched = false;
  };

  // A word of the stack that determined a step.
  struct Word {
    VmAddress at, value;
  };
  static constexpr std::size_t kMostWords = 6;  // per step

  FrameWalker(const VmLayout& layout, VmAddress java_thread)
      : layout_(layout),
        thread_(java_thread),
        high_(load<VmAddress>(java_thread + layout.stack_base)),
        low_(high_ - load<VmAddress>(java_thread + layout.stack_size)) {}

  // Goes to the innermost Java frame. False: there is none (kComplete), or it is odd.
  bool begin(WalkEnd& end) {
    return enter_at(thread_ + layout_.anchor.sp, thread_ + layout_.anchor.pc,
                    thread_ + layout_.anchor.fp, low_, end);
  }

  const Place& place() const { return at_; }
  void set_place(const Place& place) { at_ = place; }
  VmAddress pc() const { return at_.pc; }

  FrameKind kind() const { return kind(at_); }
  FrameKind kind(const Place& at) const {
    if (at.pc - layout_.interpreter_low < layout_.interpreter_high - layout_.interpreter_low) {
      return FrameKind::kInterpreted;
    }
    if (at.pc == layout_.call_stub_return) return FrameKind::kEntry;
    return FrameKind::kCode;
  }

  // For a kCode frame: goes to its caller. False: odd, and `at` is unchanged.
  bool pop(Place& at, std::int32_t frame_bytes) const {
    const VmAddress sp = at.sp + static_cast<VmAddress>(frame_bytes);
    if (frame_bytes < static_cast<std::int32_t>(kWord) || !holds(sp, at.sp)) return false;
    // The frame pointer saved by the callee. Invalid in frames of one word, which save none; users
    // validate it.
    at.unpatched = false;
    at.fp_at = frame_bytes > static_cast<std::int32_t>(kWord) ? sp - 2 * kWord : 0;
    at.fp = at.fp_at != 0 ? load<VmAddress>(at.fp_at) : 0;
    at.pc = load<VmAddress>(sp - kWord);
    at.sp = sp;
    return true;
  }

  // For a CodeKind::kPatched frame: restores the original pc. Once per frame.
  bool unpatch(Place& place, std::int32_t pc_offset) const {
    const VmAddress at = place.sp + static_cast<VmAddress>(pc_offset);
    if (pc_offset < 0 || !holds(at, place.sp - 1) || place.unpatched) return false;
    place.unpatched = true;
    place.pc = load<VmAddress>(at);
    return true;
  }

  // For a kInterpreted frame: its method and bytecode pointer (0 in a native one). False: odd.
  bool read_interpreted(const Place& at, VmAddress& method, VmAddress& bytecode) const {
    if (!holds(at.fp + kBytecode, low_) || !holds(at.fp + kWord, at.sp - 1)) return false;
    method = load<VmAddress>(at.fp + kMethod);
    bytecode = load<VmAddress>(at.fp + kBytecode);
    return true;
  }

  // Goes from a frame that was read to its caller.
  bool leave_interpreted(Place& at) const {
    const VmAddress sp = load<VmAddress>(at.fp + kSenderSp);
    // One word above fp where a method handle call has removed its last argument.
    if (!holds(sp, at.fp)) return false;
    at.pc = load<VmAddress>(at.fp + kWord);
    at.fp_at = at.fp;
    at.fp = load<VmAddress>(at.fp);
    at.sp = sp;
    at.unpatched = false;
    return true;
  }

  bool pop_interpreted(VmAddress& method, VmAddress& bytecode) {
    return read_interpreted(at_, method, bytecode) && leave_interpreted(at_);
  }

  // For a kEntry frame (the call stub): goes to the Java frame that called the VM. False: there is
  // none (kComplete), or it is odd.
  bool pop_entry(WalkEnd& end) {
    end = WalkEnd::kOdd;
    if (!holds(at_.fp + kWrapper, low_)) return false;
    return enter_outer(load<VmAddress>(at_.fp + kWrapper), layout_.wrapper, end);
  }
  // For a CodeKind::kUpcall frame, by its `bytes`: the same.
  bool pop_upcall(std::int32_t bytes, WalkEnd& end) {
    end = bytes == kAbsent ? WalkEnd::kUpcall : WalkEnd::kOdd;
    return bytes >= 0 &&
           enter_outer(at_.sp + static_cast<VmAddress>(bytes), layout_.upcall_anchor, end);
  }

  // Stores the words that determined a step from one place to the next: while they are unchanged,
  // so is the step. Returns their number. For a kCode frame that was popped or unpatched:
  std::size_t words_of_code(const Place& from, const Place& to, std::int32_t bytes,
                            Word* words) const {
    words[0] = {to.unpatched ? from.sp + static_cast<VmAddress>(bytes) : to.sp - kWord, to.pc};
    return 1 + words_of_arrival(to, words + 1);
  }
  // A bytecode pointer belongs to one method only. Where the caller is found by its frame pointer,
  // its stack pointer is irrelevant.
  std::size_t words_of_interpreted(const Place& from, VmAddress method, VmAddress bytecode,
                                   const Place& to, Word* words) const {
    words[0] = {from.fp + kBytecode, bytecode};
    words[1] = {from.fp + kWord, to.pc};
    std::size_t count = 2;
    if (bytecode == 0) words[count++] = {from.fp + kMethod, method};
    if (!uses_fp(to)) words[count++] = {from.fp + kSenderSp, to.sp};
    return count + words_of_arrival(to, words + count);
  }
  // For a kEntry frame with a Java caller; `to` null: without one.
  std::size_t words_of_entry(const Place& from, const Place* to, Word* words) const {
    const VmAddress wrapper = load<VmAddress>(from.fp + kWrapper);
    const VmAddress pc_at = wrapper + static_cast<VmAddress>(layout_.wrapper.pc);
    words[0] = {from.fp + kWrapper, wrapper};
    words[1] = {wrapper + static_cast<VmAddress>(layout_.wrapper.sp), to != nullptr ? to->sp : 0};
    if (to == nullptr) return 2;
    words[2] = {pc_at, load<VmAddress>(pc_at)};
    std::size_t count = 3;
    if (words[2].value == 0) words[count++] = {to->sp - kWord, to->pc};
    return count + words_of_arrival(*to, words + count);
  }
  // Whether a step from there depends on the frame pointer.
  bool uses_fp(const Place& at) const { return kind(at) != FrameKind::kCode; }

  // Leaves a frame described by CompiledFrames or the cache.
  bool leave(CodeKind kind, std::int32_t bytes) { return leave(at_, kind, bytes); }
  bool leave(Place& at, CodeKind kind, std::int32_t bytes) const {
    return kind == CodeKind::kPatched ? unpatch(at, bytes) : pop(at, bytes);
  }

 private:
  static constexpr VmAddress kWord = sizeof(VmAddress);
  // Offsets from fp in an interpreter frame, and in the call stub's frame.
  static constexpr VmAddress kSenderSp = -1 * kWord, kMethod = -3 * kWord, kBytecode = -8 * kWord;
  static constexpr VmAddress kWrapper = -6 * kWord;

  std::size_t words_of_arrival(const Place& to, Word* words) const {
    if (to.fp_at == 0 || !uses_fp(to)) return 0;
    words[0] = {to.fp_at, to.fp};
    return 1;
  }

  // Whether `at` is a word of the stack above `floor`.
  bool holds(VmAddress at, VmAddress floor) const {
    return at > floor && at % kWord == 0 && at >= low_ && at <= high_ - kWord;
  }

  // Goes to the frame of an anchor that is in the current frame's data.
  bool enter_outer(VmAddress data, const AnchorPlace& anchor, WalkEnd& end) {
    const VmAddress sp_at = data + static_cast<VmAddress>(anchor.sp);
    const VmAddress fp_at = data + static_cast<VmAddress>(anchor.fp);
    return holds(sp_at, at_.sp - 1) && holds(fp_at, at_.sp - 1) &&
           enter_at(sp_at, data + static_cast<VmAddress>(anchor.pc), fp_at, at_.sp, end);
  }

  bool enter_at(VmAddress sp_at, VmAddress pc_at, VmAddress fp_at, VmAddress floor, WalkEnd& end) {
    const VmAddress sp = load<VmAddress>(sp_at);
    end = sp == 0 ? WalkEnd::kComplete : WalkEnd::kOdd;
    if (!holds(sp, floor) || !holds(sp - kWord, low_)) return false;
    at_ = {sp, load<VmAddress>(pc_at), load<VmAddress>(fp_at), fp_at, false};
    // A stub of the VM stores its return address just below.
    if (at_.pc == 0) at_.pc = load<VmAddress>(sp - kWord);
    return true;
  }

  const VmLayout& layout_;
  const VmAddress thread_;
  const VmAddress high_;  // the stack's base
  const VmAddress low_;
  Place at_;
};

}  // namespace ddm
