// The outer frames of the virtual thread that the calling thread runs. A thread that has waited gets
// back its innermost frames at first and the others when it returns to them: until then they lie in
// the heap.
//
//   ContinuationEntry -> Continuation.tail -> StackChunk (-> StackChunk.parent -> ...)
//   StackChunk   | fields | free | sp: frames as they lie on a thread's stack | bottom | ...
//
// Their only writers are the thread itself, which is here, and the collector in a pause: what was
// read between two looks at the number of pauses is true if it has not changed, and no address is
// followed before such a look. (The same holds for the class of an object, ObjectFacts.) Not
// for collectors that move objects while the program runs.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/walk/frame_walker.h"
#include "vm/memory/object_layout.h"

namespace ddm {

struct ParkedLayout {
  Offset cont_entry = kAbsent;  // in a JavaThread
  // In a ContinuationEntry, one of these: which of them shows once a virtual thread runs.
  std::array<Offset, 2> entry_conts = {kAbsent, kAbsent};
  Offset cont_tail = kAbsent;
  Offset chunk_parent = kAbsent, chunk_size = kAbsent, chunk_sp = kAbsent, chunk_bottom = kAbsent;
  Offset chunk_stack =
      kAbsent;  // where its words begin; the fields above count in words from there
  ObjectLayout objects;
  VmAddress oop_base = 0;  // of compressed references
  int oop_shift = 0;
  std::uint64_t cont_key = 0, chunk_key = 0;  // class words
};

class ParkedFrames {
 public:
  // `pauses`: odd inside a pause, higher after each.
  ParkedFrames(const ParkedLayout& layout, const std::atomic<std::uint64_t>& pauses,
               ReadablePages& pages)
      : layout_(layout), pauses_(pauses), pages_(pages) {}

  // The frames of one chunk, as long as undisturbed() says so.
  struct Run {
    std::uint64_t pause = 0;
    VmAddress sp = 0;      // of the innermost one
    VmAddress end = 0;     // behind the outermost one
    VmAddress parent = 0;  // the chunk with those further out; 0: none

    std::size_t words() const { return (end - sp) / sizeof(VmAddress); }
  };
  // Before the innermost frame's sp its pc and the frame pointer of an interpreter's stand.
  static constexpr std::size_t kWordsBefore = 2;

  // Those that the thread returns to first, an empty run if there are none. false: they cannot be
  // told now.
  bool find(VmAddress java_thread, Run& run) const;
  // Those further out than a run with a parent.
  bool find_outer(Run& run) const { return find_in(run.parent, run); }

  bool undisturbed(const Run& run) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return pauses_.load(std::memory_order_relaxed) == run.pause;
  }
  // The words before it and its own, as many as there is room for. How many; 0: disturbed.
  std::size_t copy(const Run& run, std::span<VmAddress> to) const;

 private:
  // Of the chunk or, if that is empty, of its parents.
  bool find_in(VmAddress chunk, Run& run) const;
  VmAddress reference_at(VmAddress at) const;
  bool is_object(VmAddress at, std::uint64_t key) const;
  // The Continuation of an entry; 0: there is none where one should be.
  VmAddress continuation_of(VmAddress entry, const Run& run) const;

  const ParkedLayout layout_;
  const std::atomic<std::uint64_t>& pauses_;
  ReadablePages& pages_;
  mutable std::atomic<Offset> entry_cont_{kAbsent};  // once a continuation was seen there
};

// Steps from frame to frame of a run that was copied. In an interpreter's frame addresses of the
// stack are relative to its frame pointer, and that to where it is kept.
class ParkedWalk {
 public:
  // `run_words`: of the whole run, of which `words` may be the begin.
  ParkedWalk(const VmLayout& layout, std::span<const VmAddress> words, std::size_t run_words);

  // At the run's end. good() is false where a frame is odd, or was not copied.
  bool done() const { return sp_ >= end_; }
  bool good() const { return good_; }
  // Of a frame that is not done.
  VmAddress pc() const { return pc_; }
  bool interpreted() const {
    return pc_ - layout_.interpreter_low < layout_.interpreter_high - layout_.interpreter_low;
  }
  bool read_interpreted(VmAddress& method, VmAddress& bytecode);
  bool leave_interpreted();
  // As FrameWalker::leave().
  bool leave(CodeKind kind, std::int32_t bytes);

  // The words that decided of the steps so far, by their place in the copy; too_many(): not all.
  static constexpr std::size_t kMostDecisive = 320;
  std::span<const std::uint16_t> decisive() const { return {decisive_.data(), decisive_count_}; }
  bool too_many() const { return too_many_; }

 private:
  VmAddress word(std::size_t at);
  bool odd() {
    good_ = false;
    return false;
  }
  bool stand_at(std::size_t sp, std::size_t unextended_sp);
  // The frame pointer, which was read, and what is kept relative to it.
  std::size_t relative(int at) { return fp_ + word(fp_ + static_cast<std::size_t>(at)); }

  const VmLayout& layout_;
  const std::span<const VmAddress> words_;
  const std::size_t end_;
  std::size_t sp_ = 0, unextended_sp_ = 0, fp_ = 0;  // places in the copy
  VmAddress pc_ = 0;
  bool unpatched_ = false, good_ = true, too_many_ = false;
  std::size_t decisive_count_ = 0;
  std::array<std::uint16_t, kMostDecisive> decisive_;
};

}  // namespace ddm
