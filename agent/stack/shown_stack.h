// The frames of one stack that a record keeps, gathered from the innermost outwards: without those
// that the program's author did not write, and without those that belong to the allocation itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "stack/shown_frame.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// Which innermost frames belong to the allocation itself and not to the method that allocated.
enum class TopFrames {
  kAsTheyAre,    // the VM told of the allocation in the allocating method
  kTracker,      // a call of the Tracker behind the instruction
  kConstructors  // a call of the Tracker in Object.<init>: the constructors that the object is
                 // running through, which stand at their this() or super() call
};

class ShownStack {
 public:
  static constexpr std::size_t kMostFrames = kMaxTreeDepth + 1;  // one tells that it was cut

  // `wanted`: at most kMostFrames. `at_once`: how many will be asked for in any case; the others are
  // copied once somebody wants them.
  ShownStack(TopFrames top, std::size_t wanted, std::size_t at_once = kMostFrames)
      : top_(top), wanted_(wanted), at_once_(at_once) {}

  // Where its number will be asked for: a walk that knows a part of it tells it.
  void look_up_in(CallTree& traces) { traces_ = &traces; }
  CallTree* traces() const { return traces_; }
  void set_number(TraceNumber number) { number_ = number; }
  // kNoTrace: to be looked up.
  TraceNumber number() const { return number_; }

  // How far it is. A walk keeps it in registers from frame to frame, see add().
  struct Progress {
    std::size_t count = 0;
    bool on_top = true;
    ShownRole last_role = ShownRole::kPlain;
  };
  Progress progress() const { return progress_; }
  void set_progress(const Progress& progress) { progress_ = progress; }

  // The next frame outwards. false: there are as many as are wanted.
  bool add(ShownFrame frame) { return add(frame, progress_); }

  // The same, counted in `progress`, which set_progress() is told of in the end.
  [[gnu::always_inline]] bool add(ShownFrame frame, Progress& progress) {
    const ShownRole role = frame.role();
    if (role != ShownRole::kPlain) {
      if (role == ShownRole::kHidden) return true;
      if (progress.on_top && is_part_of_allocation(role)) return true;
    }
    progress.on_top = false;
    progress.last_role = role;
    frames_[progress.count++].frame = frame.frame();
    return progress.count < wanted_;
  }

  // The next frames outwards, of which only shown ones are there, none of them part of the
  // allocation. As many as are wanted are taken. kStay: no more frames will come, and these stay where
  // they are for as long as this stack.
  enum class Run { kGoes, kStays };
  bool add_run(std::span<const Frame> run, ShownRole last_role, Run where) {
    const std::size_t begin = progress_.count;
    const std::size_t count = std::min(run.size(), wanted_ - begin);
    std::size_t copied = count;
    if (where == Run::kStays && begin + count > at_once_) {
      copied = at_once_ > begin ? at_once_ - begin : 0;
      rest_ = run.subspan(copied, count - copied);
    }
    std::copy_n(run.data(), copied, &frames_[begin].frame);
    progress_.count += count;
    progress_.on_top = false;
    progress_.last_role = last_role;
    return progress_.count < wanted_;
  }

  // What was added was not the whole truth: begins anew.
  void restart() {
    progress_ = {};
    rest_ = {};
    number_ = kNoTrace;
  }

  std::size_t wanted() const { return wanted_; }
  std::size_t room() const { return wanted_ - progress_.count; }
  bool empty() const { return progress_.count == 0; }
  std::size_t size() const { return progress_.count; }
  std::span<const Frame> frames() {
    if (!rest_.empty()) {
      std::copy(rest_.begin(), rest_.end(), &frames_[progress_.count - rest_.size()].frame);
      rest_ = {};
    }
    return {&frames_[0].frame, progress_.count};
  }
  // Of those that no trail has.
  std::span<const Frame> inner_frames(std::size_t count) const {
    return {&frames_[0].frame, count};
  }
  // The first `at_once` of them.
  std::span<const Frame> first_frames() const {
    return {&frames_[0].frame, std::min(progress_.count, at_once_)};
  }
  // Whether all that was added so far belongs to the allocation itself.
  bool on_top() const { return progress_.on_top; }
  ShownRole last_role() const { return progress_.last_role; }

 private:
  union Room {  // not filled with anything before a frame is put there
    Room() {}
    Frame frame;
  };

  bool is_part_of_allocation(ShownRole role) const {
    switch (top_) {
      case TopFrames::kAsTheyAre:
        return false;
      case TopFrames::kTracker:
        return role == ShownRole::kTracker;
      case TopFrames::kConstructors:
        return role == ShownRole::kTracker || role == ShownRole::kObjectInit ||
               role == ShownRole::kAtConstructor;
    }
    return false;
  }

  const TopFrames top_;
  const std::size_t wanted_;
  const std::size_t at_once_;
  CallTree* traces_ = nullptr;
  TraceNumber number_ = kNoTrace;
  Progress progress_;
  std::span<const Frame> rest_;  // the outermost ones, that are not in frames_ yet
  Room frames_[kMostFrames];
};

}  // namespace ddm
