// Steps from frame to frame of the calling thread's stack, from the anchor that the VM sets when
// Java calls native code.
//
// Trusts nothing that it reads from the stack: every address lies between the stack pointer and the
// stack's base, is aligned, and is higher than the one before. Anything else is odd and ends the
// walk. What a frame holds is decoded by CompiledFrames (compiled code) or told by the frame itself
// (interpreter).
#pragma once

#include "stack/walk/compiled_frames.h"

namespace ddm {

// Why a walk ended.
enum class WalkEnd : std::uint8_t {
  kComplete,     // at the thread's outermost frame, or as deep as was asked for
  kBarrier,      // a virtual thread's outer frames lie in the heap
  kOdd,          // a frame that is not as expected
  kUnknownMethod,  // a method that has no id yet
  kCount
};

enum class FrameKind : std::uint8_t { kInterpreted, kEntry, kCode };

class FrameWalker {
 public:
  FrameWalker(const VmLayout& layout, VmAddress java_thread)
      : layout_(layout),
        thread_(java_thread),
        high_(load<VmAddress>(java_thread + layout.stack_base)),
        low_(high_ - load<VmAddress>(java_thread + layout.stack_size)) {}

  // Stands at the innermost Java frame. false: there is none (kComplete), or it is odd.
  bool begin(WalkEnd& end) {
    return stand_at(thread_ + layout_.anchor_sp, thread_ + layout_.anchor_pc,
                    thread_ + layout_.anchor_fp, low_, end);
  }

  VmAddress pc() const { return pc_; }

  FrameKind kind() const {
    if (pc_ - layout_.interpreter_low < layout_.interpreter_high - layout_.interpreter_low) {
      return FrameKind::kInterpreted;
    }
    if (pc_ == layout_.call_stub_return) return FrameKind::kEntry;
    return FrameKind::kCode;
  }

  // Of a kCode frame: goes on to the caller. false: odd.
  bool pop(std::int32_t frame_bytes) {
    const VmAddress sp = sp_ + static_cast<VmAddress>(frame_bytes);
    if (frame_bytes < static_cast<std::int32_t>(kWord) || !holds(sp, sp_)) return false;
    // The frame pointer that the callee saved. Wrong in frames of one word, which have none; who
    // uses it checks it.
    unpatched_ = false;
    fp_ = frame_bytes > static_cast<std::int32_t>(kWord) ? load<VmAddress>(sp - 2 * kWord) : 0;
    pc_ = load<VmAddress>(sp - kWord);
    sp_ = sp;
    return true;
  }

  // Of a CodeKind::kPatched frame: its own pc, from where the VM keeps it. Once a frame.
  bool unpatch(std::int32_t pc_offset) {
    const VmAddress at = sp_ + static_cast<VmAddress>(pc_offset);
    if (pc_offset < 0 || !holds(at, sp_ - 1) || unpatched_) return false;
    unpatched_ = true;
    pc_ = load<VmAddress>(at);
    return true;
  }

  // Of a kInterpreted frame: its method and bytecode pointer (0 in a native one), and goes on to
  // the caller.
  bool pop_interpreted(VmAddress& method, VmAddress& bytecode) {
    constexpr VmAddress kSenderSp = -1 * kWord, kMethod = -3 * kWord, kBytecode = -8 * kWord;
    if (!holds(fp_ + kBytecode, low_) || !holds(fp_ + kWord, sp_ - 1)) return false;
    method = load<VmAddress>(fp_ + kMethod);
    bytecode = load<VmAddress>(fp_ + kBytecode);
    const VmAddress sp = load<VmAddress>(fp_ + kSenderSp);
    // One word above fp_ where a method handle took its last argument away from the stack.
    if (!holds(sp, fp_)) return false;
    pc_ = load<VmAddress>(fp_ + kWord);
    fp_ = load<VmAddress>(fp_);
    sp_ = sp;
    unpatched_ = false;
    return true;
  }

  // Of a kEntry frame, by which the VM called Java: goes on to the Java frame that called the VM.
  // false: there is none (kComplete), or it is odd.
  bool pop_entry(WalkEnd& end) {
    constexpr VmAddress kWrapper = -6 * kWord;
    end = WalkEnd::kOdd;
    if (!holds(fp_ + kWrapper, low_)) return false;
    const VmAddress wrapper = load<VmAddress>(fp_ + kWrapper);
    const VmAddress first = wrapper + static_cast<VmAddress>(layout_.wrapper_sp);
    const VmAddress last = wrapper + static_cast<VmAddress>(layout_.wrapper_fp);
    if (!holds(first, sp_ - 1) || !holds(last, sp_ - 1)) return false;
    return stand_at(first, wrapper + static_cast<VmAddress>(layout_.wrapper_pc), last, sp_, end);
  }

  // Leaves what CompiledFrames or the cache know to be there.
  bool leave(CodeKind kind, std::int32_t bytes) {
    return kind == CodeKind::kPatched ? unpatch(bytes) : pop(bytes);
  }

 private:
  static constexpr VmAddress kWord = sizeof(VmAddress);

  // Whether a word of the stack lies there, above `floor`.
  bool holds(VmAddress at, VmAddress floor) const {
    return at > floor && at % kWord == 0 && at >= low_ && at <= high_ - kWord;
  }

  bool stand_at(VmAddress sp_at, VmAddress pc_at, VmAddress fp_at, VmAddress floor, WalkEnd& end) {
    const VmAddress sp = load<VmAddress>(sp_at);
    end = sp == 0 ? WalkEnd::kComplete : WalkEnd::kOdd;
    if (!holds(sp, floor) || !holds(sp - kWord, low_)) return false;
    sp_ = sp;
    pc_ = load<VmAddress>(pc_at);
    fp_ = load<VmAddress>(fp_at);
    unpatched_ = false;
    // A stub of the VM's leaves its return address just below.
    if (pc_ == 0) pc_ = load<VmAddress>(sp - kWord);
    return true;
  }

  const VmLayout& layout_;
  const VmAddress thread_;
  const VmAddress high_;  // the stack's base
  const VmAddress low_;
  VmAddress sp_ = 0, pc_ = 0, fp_ = 0;
  bool unpatched_ = false;
};

}  // namespace ddm
