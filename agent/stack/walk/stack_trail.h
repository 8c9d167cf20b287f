// The steps of a thread's last walk, so that the next walk need not decode each frame again.
//
// A walk depends only on words of the stack and on the code that these words point into. From a
// place that an earlier walk has reached, a walk makes the same steps as long as those words are
// unchanged: one comparison per word, and the frames are copied. Most of a stack is unchanged since
// the thread's previous allocation.
//
// The trail stores each step's words and frames, and these frames' nodes in the CallTree that was
// used last, so that a stack's number is found from the frames that changed. The trail grows from
// the middle of its arrays: inwards with every walk, whose new inner steps replace the old ones,
// and outwards when a walk needs more frames than are stored. The arrays share pages, and become
// larger with the deepest stack of the thread. Valid while code and names are unchanged: the owner
// calls clear(). Each thread has its own and accesses only that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "stack/shown_stack.h"
#include "stack/walk/callee_cache.h"
#include "stack/walk/trail_arrays.h"

namespace ddm {

class StackTrail : TrailArrays {
 public:
  using Place = FrameWalker::Place;
  using Word = FrameWalker::Word;

  StackTrail() {
    if (good()) clear();
  }
  using TrailArrays::good;  // false: no memory; nothing else may be called
  void clear();

  // Begins a walk. False: an outer walk of this thread is using the trail. `cache`: where code may
  // be freed at any time and must be revalidated by its stamps, which `cache` must have; or null.
  bool begin(const FrameCache* cache);

  // Whether the trail has this place. Each call must be for a place further out than the last.
  bool continues_from(const FrameWalker& walker, const Place& at) {
    while (cursor_ < steps_end_ && steps_[cursor_].place.sp < at.sp) ++cursor_;
    const Place& there = steps_[cursor_].place;
    return cursor_ < steps_end_ && there.sp == at.sp && there.pc == at.pc &&
           there.unpatched == at.unpatched && (there.fp == at.fp || !walker.uses_fp(at));
  }
  // From such a place: adds the frames of all steps whose words are unchanged, as many as the stack
  // wants. kStays: there are none; kContinue: `place` follows them; kEnd: the stack ends.
  enum class Followed { kStays, kContinue, kEnough, kEnd };
  Followed follow(ShownStack& stack, Place& place);

  // These record a step that was made without the trail: open(), add() for each frame, the words
  // that determined the step stored in words(), and close() with the places before and after it. A
  // step that is not closed is not recorded. Inline, as the walk's loop keeps places in registers.
  void open() { new_frames_open_ = new_frames_; }
  void add(ShownFrame frame) {
    if (frame.role() == ShownRole::kHidden) return;
    if (new_frames_open_ == new_frames_most()) [[unlikely]] {
      overflown_ = true;
      return;
    }
    new_frame_[new_frames_open_++] = {frame.frame(), frame.role()};
  }
  Word* words() { return &new_word_[new_words_]; }
  // `code`: FrameCache::Identity::at of the step's code.
  [[gnu::always_inline]] void close(const Place& from, std::size_t words, VmAddress code,
                                    const Place& next) {
    const auto count = static_cast<std::int32_t>(words);
    overflown_ |= new_steps_ == new_steps_most() || new_words_ + count > new_words_most();
    if (overflown_) [[unlikely]]
      return;
    NewStep& step = new_step_[new_steps_++];
    step.place = from;
    step.word = new_words_;
    step.frame = new_frames_;
    step.code = code;
    new_words_ += count;
    new_frames_ = new_frames_open_;
    next_ = next;
  }

  // The stack's number, after the end() of a walk to the thread's first frame. Frames of the stack
  // that are not in the trail are its innermost ones. kNoTrace: the trail does not know the number.
  TraceNumber number_in(CallTree& tree, ShownStack& stack);
  void prefetch_in(const CallTree& tree) const;  // for number_in(), before end()
  // How many frames the trail has.
  std::size_t size() const {
    return static_cast<std::size_t>(steps_[steps_end_].frame - steps_[steps_begin_].frame);
  }

  // Ends the walk: the trail has its steps now. `complete`: the stack ends after the last step.
  void end(bool complete);
  void abandon() { busy_ = false; }  // in any case; without an end() the trail is unchanged

 private:
  // The end of the unchanged words from `word` on, at most `end`.
  std::int32_t same_words_end(std::int32_t word, std::int32_t end) const;
  // The first stamp from `stamp` on whose code was freed or replaced; `end`: none.
  std::int32_t current_end(std::int32_t stamp, std::int32_t end) const;
  // Assigns a stamp to a step: the neighbour's if the code is the same, or a new one. `to_next`: -1
  // inwards, 1 outwards.
  void stamp(std::int32_t step, std::int32_t neighbour, std::int32_t to_next);
  void put_stamp(std::int32_t at, VmAddress code);
  // Adds steps of the trail to the new steps, as if they had been walked.
  void fold(std::int32_t first, std::int32_t last);
  bool put_inner(std::int32_t count, std::int32_t step, std::int32_t word, std::int32_t frame);
  void put_outer(std::int32_t first, bool complete);
  void put(std::int32_t from, std::int32_t step_at, std::int32_t words, std::int32_t frames);

  // The trail: steps [steps_begin_, steps_end_), and the place after them.
  std::int32_t steps_begin_ = 0, steps_end_ = 0;
  bool complete_ = false;
  // The walk in progress: the part of the trail that it kept, and its new steps before and after.
  bool busy_ = false, overflown_ = false, code_may_go_ = false;
  VmAddress stamp_offset_ = 0;
  std::int32_t cursor_ = 0, new_before_ = 0, kept_from_ = -1;  // -1: nothing is kept yet
  std::int32_t new_steps_ = 0, new_words_ = 0, new_frames_ = 0, new_frames_open_ = 0;
  Place next_;

  CalleeCache callees_;
  std::minstd_rand random_;
  std::uint32_t nodes_of_ = 0;  // the tree's id()
};

}  // namespace ddm
