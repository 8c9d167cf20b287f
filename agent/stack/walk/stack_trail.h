// The way that a thread's last walk took, so that the next one need not look at each frame again.
//
// A walk decides by words of the stack and by the code that they lead into, and by nothing else.
// From a place where an earlier walk stood too, it takes the same way as long as those words are the
// same: one comparison a word, and the frames are copied. Most of a stack is what it was one
// allocation before.
//
// The trail holds each step's words, its frames, and these frames' nodes in the CallTree that
// numbers were asked in last: a stack's number is found by the frames that changed. It grows at both
// ends from the middle of fixed arrays: inwards with every walk, whose new inner steps replace the
// old ones, and outwards when a walk needs more than is there. Good for as long as code and names
// stay what they are: who owns it calls clear(). Each thread has its own, and uses it alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "stack/shown_stack.h"
#include "stack/walk/frame_cache.h"
#include "stack/walk/frame_walker.h"
#include "stack/walk/lazy_array.h"

namespace ddm {

class StackTrail {
 public:
  using Place = FrameWalker::Place;
  using Word = FrameWalker::Word;

  StackTrail() { clear(); }
  void clear();

  // A walk begins; false: one is under way on this thread, which this one must leave alone.
  // `cache`: where code may be given back at any time, so that it is looked at too; it has stamps.
  bool begin(const FrameCache* cache);

  // Whether the trail has been there. Asked of ever more outer places.
  bool leads_on_from(const FrameWalker& walker, const Place& at) {
    while (cursor_ < steps_end_ && steps_[cursor_].place.sp < at.sp) ++cursor_;
    const Place& there = steps_[cursor_].place;
    return cursor_ < steps_end_ && there.sp == at.sp && there.pc == at.pc &&
           there.unpatched == at.unpatched && (there.fp == at.fp || !walker.goes_by_fp(at));
  }
  // From such a place on: adds the frames of all steps whose words are the same, as many as the
  // stack wants, and stands at the place behind them. kEnd: the stack ends there.
  enum class Followed { kContinue, kEnough, kEnd };
  Followed follow(ShownStack& stack, Place& at);

  // The steps that were made without the trail, in their order: its frames, the words that it went
  // by, which are put in words() first, where it began, and where it led. One that is not closed has
  // not been made. All in the walk's loop, where a place is in registers.
  void open() { new_frames_open_ = new_frames_; }
  void add(ShownFrame frame) {
    if (frame.role() == ShownRole::kHidden) return;
    if (new_frames_open_ == kNewFrames) [[unlikely]] {
      overflown_ = true;
      return;
    }
    new_frame_[new_frames_open_++] = {frame.frame(), frame.role()};
  }
  Word* words() { return &new_word_[new_words_]; }
  // `code`: FrameCache::Identity::at of it.
  [[gnu::always_inline]] void close(const Place& from, std::size_t words, VmAddress code,
                                    const Place& next) {
    const auto count = static_cast<std::int32_t>(words);
    if (overflown_ || new_steps_ == kNewSteps || new_words_ + count > kNewWords) [[unlikely]] {
      overflown_ = true;
      return;
    }
    NewStep& step = new_step_[new_steps_++];
    step.place = from;
    step.word = new_words_;
    step.frame = new_frames_;
    step.code = code;
    new_words_ += count;
    new_frames_ = new_frames_open_;
    next_ = next;
  }

  // After a walk that ended so, if its stack begins with its thread's first frame: the number. Frames
  // that the stack has and the trail has not are its innermost ones. kNoTrace: the trail cannot tell.
  TraceNumber number_in(CallTree& tree, ShownStack& stack);
  // How many frames the trail has.
  std::size_t size() const {
    return static_cast<std::size_t>(steps_[steps_end_].frame - steps_[steps_begin_].frame);
  }

  // The walk is over; the trail leads where it went. `complete`: the stack ends behind the last step.
  void end(bool complete);
  // The walk has ended in whatever way; the trail is what it was if end() was not called.
  void give_up() { busy_ = false; }

 private:
  // Of a whole stack as deep as one is kept, and a third more on its outer side.
  static constexpr std::int32_t kNewSteps = kMaxTreeDepth + 32, kNewWords = 3 * kNewSteps;
  static constexpr std::int32_t kNewFrames = kMaxTreeDepth + 128;
  static constexpr std::int32_t kSteps = kNewSteps / 3 * 4, kWords = kNewWords / 3 * 4;
  static constexpr std::int32_t kFrames = kNewFrames / 3 * 4;

  struct Step {
    Place place;
    std::int32_t word, frame;  // its first ones; the step behind it has the next ones
  };
  struct NewStep : Step {
    VmAddress code;
  };
  using Stamp = std::uint64_t __attribute__((vector_size(FrameCache::kStampBytes)));
  struct NewFrame {
    Frame frame;
    ShownRole role;
  };
  // How many of the words from one to another are what they were.
  std::int32_t same_words_end(std::int32_t word, std::int32_t end) const;
  // The first of these stamps whose code does not stand any more, or not as it did.
  std::int32_t standing_end(std::int32_t stamp, std::int32_t end) const;
  // Of a step, whose neighbour has one; it is the same where the code is. `to_next`: one inwards or
  // one outwards.
  void stamp(std::int32_t step, std::int32_t neighbour, std::int32_t to_next);
  void put_stamp(std::int32_t at, VmAddress code);
  std::int32_t step_of_word(std::int32_t word, std::int32_t last) const;
  // Makes steps of the trail new ones, as if they had been walked.
  void fold(std::int32_t first, std::int32_t last);
  bool put_inner(std::int32_t count, std::int32_t step, std::int32_t word, std::int32_t frame);
  void put_outer(std::int32_t first, bool complete);
  void put(std::int32_t from, std::int32_t step_at, std::int32_t words, std::int32_t frames);

  // The trail: steps [steps_begin_, steps_end_), and the place behind them.
  std::int32_t steps_begin_ = 0, steps_end_ = 0;
  bool complete_ = false;
  // The walk under way: what of the trail it came by, and the new steps before and behind that.
  bool busy_ = false, overflown_ = false;
  bool code_may_go_ = false;
  VmAddress stamp_offset_ = 0;
  std::int32_t cursor_ = 0;
  std::int32_t kept_from_ = -1;  // -1: nothing yet
  std::int32_t new_before_ = 0;
  std::int32_t new_steps_ = 0, new_words_ = 0, new_frames_ = 0, new_frames_open_ = 0;
  Place next_;

  LazyArray<Step, kSteps + 1> steps_;
  LazyArray<VmAddress, kSteps> code_;
  // Where code may go: the stamp that holds for a step, in the same order. Recursion has few.
  LazyArray<std::int16_t, kSteps + 1> stamp_of_step_;
  LazyArray<VmAddress, kSteps + 2> stamp_code_, stamp_at_;
  LazyArray<Stamp, kSteps + 2> stamp_;
  LazyArray<VmAddress, kWords> word_at_, word_value_;
  LazyArray<Frame, kFrames> frames_;
  LazyArray<ShownRole, kFrames> roles_;
  LazyArray<std::int16_t, kFrames> step_of_frame_;
  // Of the frames from the thread's first one on; kNoTrace where nobody has asked.
  LazyArray<TraceNumber, kFrames> nodes_;
  std::uint64_t nodes_of_ = 0;  // the tree's serial()
  LazyArray<NewStep, kNewSteps> new_step_;
  LazyArray<Word, kNewWords + FrameWalker::kMostWords> new_word_;
  LazyArray<NewFrame, kNewFrames> new_frame_;
};

}  // namespace ddm
