// The outer frames of the calling thread's virtual thread. After a wait a virtual thread's
// innermost frames are thawed first and the others when it returns to them: until then those are in
// the heap.
//
//   ContinuationEntry -> Continuation.tail -> StackChunk (-> StackChunk.parent -> ...)
//   StackChunk   | fields | free | sp: frames as on a thread's stack | bottom | ...
//
// They are written only by the thread itself, which is here, and by the collector in a pause, so all
// reads are within a HeapPauses::Reading. Not for collectors that move objects concurrently.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/walk/frame_walker.h"
#include "vm/memory/heap_pauses.h"
#include "vm/memory/object_layout.h"

namespace ddm {

struct ParkedLayout {
  Offset cont_entry = kAbsent;  // in a JavaThread
  // In a ContinuationEntry, one of these; determined once a virtual thread runs.
  std::array<Offset, 2> entry_conts = {kAbsent, kAbsent};
  Offset cont_tail = kAbsent;
  Offset chunk_parent = kAbsent, chunk_size = kAbsent, chunk_sp = kAbsent, chunk_bottom = kAbsent;
  Offset chunk_stack =
      kAbsent;  // where its words begin; the fields above are word offsets from there
  ObjectLayout objects;
  VmAddress oop_base = 0;  // for compressed references
  int oop_shift = 0;
  std::uint64_t cont_key = 0, chunk_key = 0;  // class words
};

class ParkedFrames {
 public:
  ParkedFrames(const ParkedLayout& layout, const HeapPauses& pauses, ReadablePages& pages)
      : layout_(layout), pauses_(pauses), pages_(pages) {}

  const HeapPauses& pauses() const { return pauses_; }

  // The frames of one chunk, valid until the next pause.
  struct Run {
    std::uint64_t pause = 0;  // the number of pauses when it was found
    VmAddress sp = 0;         // of the innermost frame
    VmAddress end = 0;        // after the outermost frame
    VmAddress parent = 0;     // the chunk with the next outer frames; 0: none

    std::size_t words() const { return (end - sp) / sizeof(VmAddress); }
  };
  // The innermost frame's sp is preceded by its pc and an interpreter frame's frame pointer.
  static constexpr std::size_t kWordsBefore = 2;

  using Reading = HeapPauses::Reading;
  // Finds the frames that the thread returns to first; an empty run if there are none. False: they
  // cannot be determined now.
  bool find(const Reading& reading, VmAddress java_thread, Run& run) const;
  // Finds the frames further out than a run with a parent.
  bool find_outer(const Reading& reading, Run& run) const {
    return reading.number() == run.pause && find_in(reading, run.parent, run);
  }
  // Copies the words before the run and its own, as many as `to` holds. The run was found within
  // `reading`. Returns their number; 0: disturbed.
  std::size_t copy(const Reading& reading, const Run& run, std::span<VmAddress> to) const;

 private:
  // Searches the chunk or, if that is empty, its parents.
  bool find_in(const Reading& reading, VmAddress chunk, Run& run) const;
  VmAddress reference_at(VmAddress at) const;
  bool is_object(VmAddress at, std::uint64_t key) const;
  // The Continuation of an entry; 0: there is none where one is expected.
  VmAddress continuation_of(const Reading& reading, VmAddress entry) const;

  const ParkedLayout layout_;
  const HeapPauses& pauses_;
  ReadablePages& pages_;
  mutable std::atomic<Offset> entry_cont_{kAbsent};  // set once a continuation was found there
};

// Steps through the frames of a copied run. In an interpreter frame, stack addresses are relative
// to its frame pointer, which is relative to where it is stored.
class ParkedWalk {
 public:
  // `run_words`: of the whole run; `words` may be its beginning.
  ParkedWalk(const VmLayout& layout, std::span<const VmAddress> words, std::size_t run_words);

  // At the run's end. good() is false if a frame is odd, or was not copied.
  bool done() const { return sp_ >= end_; }
  bool good() const { return good_; }
  // Of the current frame, if not done().
  VmAddress pc() const { return pc_; }
  bool interpreted() const {
    return pc_ - layout_.interpreter_low < layout_.interpreter_high - layout_.interpreter_low;
  }
  bool read_interpreted(VmAddress& method, VmAddress& bytecode);
  bool leave_interpreted();
  // Like FrameWalker::leave().
  bool leave(CodeKind kind, std::int32_t bytes);

  // The words that determined the steps so far, by index in the copy; too_many(): incomplete.
  static constexpr std::size_t kMostDecisive = 320;
  std::span<const std::uint16_t> decisive() const { return {decisive_.data(), decisive_count_}; }
  bool too_many() const { return too_many_; }

 private:
  VmAddress word(std::size_t at);
  bool odd() {
    good_ = false;
    return false;
  }
  bool move_to(std::size_t sp, std::size_t unextended_sp);
  // The frame pointer, after it was read, and a value relative to it.
  std::size_t relative(int at) { return fp_ + word(fp_ + static_cast<std::size_t>(at)); }

  const VmLayout& layout_;
  const std::span<const VmAddress> words_;
  const std::size_t end_;
  std::size_t sp_ = 0, unextended_sp_ = 0, fp_ = 0;  // indices in the copy
  VmAddress pc_ = 0;
  bool unpatched_ = false, good_ = true, too_many_ = false;
  std::size_t decisive_count_ = 0;
  std::array<std::uint16_t, kMostDecisive> decisive_;
};

}  // namespace ddm
