// The frames of one stack that a record stores, collected from the innermost outwards: without
// frames that the program's author did not write, and without frames of the allocation itself.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "stack/shown_frame.h"
#include "stack/tree/call_tree.h"

namespace ddm {

// Which innermost frames belong to the allocation itself and not to the method that allocated.
enum class TopFrames {
  kAsTheyAre,    // none: the VM reported the allocation from the allocating method, see by_agent()
  kTracker,      // the call of the Tracker after the allocating instruction
  kConstructors  // Object.<init> and its call of the Tracker, and the object's constructors in
                 // progress, which are at their this() or super() call
};

class ShownStack {
 public:
  static constexpr std::size_t kMostFrames = kMaxTreeDepth + 1;  // one more, to detect a cut

  // `wanted`: at most kMostFrames.
  ShownStack(TopFrames top, std::size_t wanted) : top_(top), wanted_(wanted) {}

  // The tree that will number this stack: a walk that knows nodes of its frames sets the number.
  void look_up_in(CallTree& traces) { traces_ = &traces; }
  CallTree* traces() const { return traces_; }
  void set_number(TraceNumber number) { number_ = number; }
  // kNoTrace: the walk has not determined the number.
  TraceNumber number() const { return number_; }

  // The state of the collection. A walk keeps this in registers between frames, see add().
  struct Progress {
    std::size_t count = 0;
    ShownRole last_role = ShownRole::kPlain;

    // Whether no frame outside of the allocation itself was added yet.
    bool on_top() const { return count == 0; }
  };
  Progress progress() const { return progress_; }
  void set_progress(const Progress& progress) { progress_ = progress; }

  // Adds the next outer frame. False: the stack has all wanted frames.
  bool add(ShownFrame frame) { return add(frame, progress_); }

  // The same, with the state in `progress`; the caller passes that to set_progress() at the end.
  [[gnu::always_inline]] bool add(ShownFrame frame, Progress& progress) {
    const ShownRole role = frame.role();
    if (role != ShownRole::kPlain) {
      if (role == ShownRole::kHidden) return true;
      if (progress.on_top() && is_part_of_allocation(role)) return true;
    }
    progress.last_role = role;
    frames_[progress.count++].frame = frame.frame();
    return progress.count < wanted_;
  }

  // Adds the next outer frames, up to the wanted number. None of them may be hidden or part of the
  // allocation. kStable: no further frames are added, and the frames of `run` do not change while
  // this stack exists; they are copied on demand.
  enum class Run { kTransient, kStable };
  bool add_run(std::span<const Frame> run, ShownRole last_role, Run where) {
    const std::size_t begin = progress_.count;
    const std::size_t count = std::min(run.size(), wanted_ - begin);
    if (where == Run::kStable) {
      rest_ = run.first(count);
    } else {
      std::copy_n(run.data(), count, &frames_[begin].frame);
    }
    progress_.count += count;
    progress_.last_role = last_role;
    return progress_.count < wanted_;
  }

  // Discards all frames, before another walker captures the stack.
  void restart() {
    by_agent_ = false;
    progress_ = {};
    rest_ = {};
    number_ = kNoTrace;
  }

  std::size_t wanted() const { return wanted_; }
  std::size_t room() const { return wanted_ - progress_.count; }
  bool empty() const { return progress_.count == 0; }
  std::size_t size() const { return progress_.count; }
  std::span<const Frame> frames() { return innermost(progress_.count); }
  // The innermost `count` frames of those.
  std::span<const Frame> innermost(std::size_t count) {
    if (const std::size_t copied = progress_.count - rest_.size(); copied < count) {
      std::copy_n(rest_.data(), count - copied, &frames_[copied].frame);
      rest_ = rest_.subspan(count - copied);
    }
    return {&frames_[0].frame, count};
  }
  bool on_top() const { return progress_.on_top(); }
  // With kAsTheyAre: whether code of the agent's allocated, the cells of a probe for example.
  bool by_agent() const { return by_agent_; }
  ShownRole last_role() const { return progress_.last_role; }

 private:
  union Slot {  // uninitialized until a frame is stored
    Slot() {}
    Frame frame;
  };

  bool is_part_of_allocation(ShownRole role) {
    switch (top_) {
      case TopFrames::kAsTheyAre:
        if (role == ShownRole::kTracker) by_agent_ = true;
        return role == ShownRole::kTracker;
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
  CallTree* traces_ = nullptr;
  TraceNumber number_ = kNoTrace;
  bool by_agent_ = false;
  Progress progress_;
  std::span<const Frame> rest_;  // the outermost frames, not yet copied to frames_
  Slot frames_[kMostFrames];
};

}  // namespace ddm
