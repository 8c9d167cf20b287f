#include "stack/walk/stack_trail.h"

#include <algorithm>

namespace ddm {
namespace {

// The stamp of code that is never freed.
alignas(FrameCache::kStampBytes) constexpr char kEverlasting[FrameCache::kStampBytes] = {};

}  // namespace

void StackTrail::clear() {
  // Three quarters of the arrays are for inner steps.
  steps_begin_ = steps_end_ = steps_most() / 4 * 3;
  steps_[steps_end_] = {Place(), words_most() / 4 * 3, frames_most() / 4 * 3};
  stamp_of_step_[steps_end_] = static_cast<std::int16_t>(steps_end_);
  put_stamp(steps_end_, 0);
  complete_ = false;
}

bool StackTrail::begin(const FrameCache* cache) {
  if (busy_) return false;
  busy_ = true;
  if (overflown_ && grow()) [[unlikely]]
    clear();
  code_may_go_ = cache != nullptr;
  if (code_may_go_) stamp_offset_ = static_cast<VmAddress>(cache->stamp_offset());
  overflown_ = false;
  cursor_ = steps_begin_;
  kept_from_ = -1;
  new_before_ = new_steps_ = new_words_ = new_frames_ = 0;
  return true;
}

// Nearly always all words are unchanged: compares eight at a time, unrolled, with one branch.
std::int32_t StackTrail::same_words_end(std::int32_t word, std::int32_t end) const {
  const auto changed = [](const VmAddress* at, const VmAddress* value) {
    return load<VmAddress>(*at) ^ *value;
  };
  for (; word + 8 <= end; word += 8) {
    const VmAddress* const at = &word_at_[word];
    const VmAddress* const value = &word_value_[word];
    if ((changed(at, value) | changed(at + 1, value + 1) | changed(at + 2, value + 2) |
         changed(at + 3, value + 3) | changed(at + 4, value + 4) | changed(at + 5, value + 5) |
         changed(at + 6, value + 6) | changed(at + 7, value + 7)) != 0) {
      break;
    }
  }
  while (word < end && changed(&word_at_[word], &word_value_[word]) == 0) ++word;
  return word;
}

std::int32_t StackTrail::current_end(std::int32_t stamp, std::int32_t end) const {
  const auto changed = [&](std::int32_t i) { return load<Stamp>(stamp_at_[i]) ^ stamp_[i]; };
  const auto same = [](Stamp difference) { return (difference[0] | difference[1]) == 0; };
  for (; stamp + 4 <= end; stamp += 4) {
    if (!same(changed(stamp) | changed(stamp + 1) | changed(stamp + 2) | changed(stamp + 3))) break;
  }
  while (stamp < end && same(changed(stamp))) ++stamp;
  return stamp;
}

// Called while the frame is on the stack, so that its code is alive, as is the neighbour's code,
// whose stamp this walk has made or validated.
void StackTrail::stamp(std::int32_t step, std::int32_t neighbour, std::int32_t to_next) {
  const VmAddress code = code_[step];
  std::int32_t at = stamp_of_step_[neighbour];
  if (code != 0 && code != stamp_code_[at]) {
    at += to_next;
    put_stamp(at, code);
  }
  stamp_of_step_[step] = static_cast<std::int16_t>(at);
}

void StackTrail::put_stamp(std::int32_t at, VmAddress code) {
  stamp_code_[at] = code;
  stamp_at_[at] = code != 0 ? code + stamp_offset_ : reinterpret_cast<VmAddress>(&kEverlasting[0]);
  stamp_[at] = load<Stamp>(stamp_at_[at]);
}

StackTrail::Followed StackTrail::follow(ShownStack& stack, Place& place) {
  const std::int32_t from = cursor_;
  const std::int32_t first_frame = steps_[from].frame;
  const auto room = static_cast<std::int32_t>(stack.room());
  std::int32_t wanted = steps_end_;
  if (steps_[steps_end_].frame - first_frame > room) {
    wanted = step_of_frame_[first_frame + room - 1] + 1;
  }
  const std::int32_t words_end = steps_[wanted].word;
  const std::int32_t word = same_words_end(steps_[from].word, words_end);
  std::int32_t to = wanted;
  while (word != words_end && steps_[to].word > word) --to;
  if (code_may_go_ && to > from) {
    const std::int32_t stamps_end = stamp_of_step_[to - 1] + 1;
    const std::int32_t stands = current_end(stamp_of_step_[from], stamps_end);
    if (stands < stamps_end) [[unlikely]] {
      while (to > from && stamp_of_step_[to - 1] >= stands) --to;
    }
  }

  const std::int32_t end_frame = steps_[to].frame;
  const bool enough = end_frame - first_frame >= room;
  if (end_frame > first_frame) {
    const std::int32_t last = std::min(end_frame, first_frame + room) - 1;
    // The kept part of the trail does not move before the next walk of this thread.
    const bool stays = to == wanted && (enough || complete_);
    stack.add_run({&frames_[first_frame], static_cast<std::size_t>(end_frame - first_frame)},
                  roles_[last], stays ? ShownStack::Run::kStable : ShownStack::Run::kTransient);
  }
  if (to < wanted) {
    fold(from, to);
    cursor_ = to + 1;
    if (to == from) return Followed::kStays;
  } else {
    kept_from_ = from;
    new_before_ = new_steps_;
    cursor_ = steps_end_;
    if (enough) return Followed::kEnough;
    if (complete_) return Followed::kEnd;
  }
  place = steps_[to].place;
  // Compiled code may save any value as the frame pointer, so this is no word of the trail.
  place.fp = place.fp_at != 0 ? load<VmAddress>(place.fp_at) : 0;
  return Followed::kContinue;
}

void StackTrail::fold(std::int32_t first, std::int32_t last) {
  const std::int32_t words = steps_[last].word - steps_[first].word;
  const std::int32_t frames = steps_[last].frame - steps_[first].frame;
  if (new_steps_ + last - first > new_steps_most() || new_words_ + words > new_words_most() ||
      new_frames_ + frames > new_frames_most()) {
    overflown_ = true;
    return;
  }
  for (std::int32_t i = first; i < last; ++i) {
    NewStep& step = new_step_[new_steps_++];
    step = {steps_[i], code_[i]};
    step.word += new_words_ - steps_[first].word;
    step.frame += new_frames_ - steps_[first].frame;
  }
  for (std::int32_t i = 0; i < words; ++i) {
    const std::int32_t word = steps_[first].word + i;
    new_word_[new_words_++] = {word_at_[word], word_value_[word]};
  }
  for (std::int32_t i = 0; i < frames; ++i) {
    const std::int32_t frame = steps_[first].frame + i;
    new_frame_[new_frames_++] = {frames_[frame], roles_[frame]};
  }
  next_ = steps_[last].place;
}

void StackTrail::end(bool complete) {
  busy_ = false;
  if (overflown_) return clear();
  if (kept_from_ < 0) {
    clear();
    if (new_steps_ == 0) return;
    complete_ = complete;
    steps_[steps_end_].place = next_;
    if (!put_inner(new_steps_, steps_end_, steps_[steps_end_].word, steps_[steps_end_].frame)) {
      clear();
    }
    return;
  }
  const Step& kept = steps_[kept_from_];
  if (!put_inner(new_before_, kept_from_, kept.word, kept.frame)) return clear();
  if (new_steps_ > new_before_) put_outer(new_before_, complete);
}

// Copies one new step into the trail.
void StackTrail::put(std::int32_t from, std::int32_t step_at, std::int32_t words,
                     std::int32_t frames) {
  const NewStep& made = new_step_[from];
  const bool is_last = from + 1 == new_steps_;
  const std::int32_t words_end = is_last ? new_words_ : new_step_[from + 1].word;
  const std::int32_t frames_end = is_last ? new_frames_ : new_step_[from + 1].frame;
  steps_[step_at] = {made.place, made.word + words, made.frame + frames};
  code_[step_at] = made.code;
  for (std::int32_t i = made.word; i < words_end; ++i) {
    word_at_[words + i] = new_word_[i].at;
    word_value_[words + i] = new_word_[i].value;
  }
  for (std::int32_t i = made.frame; i < frames_end; ++i) {
    frames_[frames + i] = new_frame_[i].frame;
    roles_[frames + i] = new_frame_[i].role;
    step_of_frame_[frames + i] = static_cast<std::int16_t>(step_at);
    nodes_[frames + i] = kNoTrace;
  }
}

// Copies the first `count` new steps before `step`, whose first word and frame are given.
bool StackTrail::put_inner(std::int32_t count, std::int32_t step, std::int32_t word,
                           std::int32_t frame) {
  const std::int32_t words = word - (count == new_steps_ ? new_words_ : new_step_[count].word);
  const std::int32_t frames = frame - (count == new_steps_ ? new_frames_ : new_step_[count].frame);
  const std::int32_t begin = step - count;
  if (begin < 0 || words < 0 || frames < 0) return false;
  for (std::int32_t i = 0; i < count; ++i) put(i, begin + i, words, frames);
  if (code_may_go_) {
    for (std::int32_t i = step - 1; i >= begin; --i) stamp(i, i + 1, -1);
  }
  steps_begin_ = begin;
  return true;
}

// Copies the new steps from `first` on after the trail's last step.
void StackTrail::put_outer(std::int32_t first, bool complete) {
  const Step end = steps_[steps_end_];
  const std::int32_t words = end.word - new_step_[first].word;
  const std::int32_t frames = end.frame - new_step_[first].frame;
  const std::int32_t count = new_steps_ - first;
  if (steps_end_ + count > steps_most() || words + new_words_ > words_most() ||
      frames + new_frames_ > frames_most()) {
    return clear();
  }
  for (std::int32_t i = 0; i < count; ++i) {
    put(first + i, steps_end_ + i, words, frames);
    if (code_may_go_) stamp(steps_end_ + i, steps_end_ + i - 1, 1);
  }
  complete_ = complete;
  steps_end_ += count;
  steps_[steps_end_] = {next_, words + new_words_, frames + new_frames_};
  // The trail's outermost frame may have changed, so its nodes are invalid.
  nodes_of_ = 0;
}

void StackTrail::prefetch_in(const CallTree& tree) const {
  if (kept_from_ < 0 || new_before_ == 0 || nodes_of_ != tree.id()) return;
  const std::int32_t frame = steps_[kept_from_].frame;
  const std::int32_t changed =
      new_before_ == new_steps_ ? new_frames_ : new_step_[new_before_].frame;
  if (changed == 0 || frame == steps_[steps_end_].frame || nodes_[frame] == kNoTrace) return;
  tree.prefetch(nodes_[frame], new_frame_[changed - 1].frame);
}

TraceNumber StackTrail::number_in(CallTree& tree, ShownStack& stack) {
  if (!complete_ || size() == 0 || stack.size() < size()) return kNoTrace;
  const std::size_t inner = stack.size() - size();
  const std::int32_t first = steps_[steps_begin_].frame, end = steps_[steps_end_].frame;
  if (nodes_of_ != tree.id()) {
    for (std::int32_t i = first; i < end; ++i) nodes_[i] = kNoTrace;
    nodes_of_ = tree.id();
  }
  // Begins at the innermost frame whose node is known.
  std::int32_t at = first;
  while (at < end && nodes_[at] == kNoTrace) ++at;
  TraceNumber number = at < end ? nodes_[at] : kEmptyTrace;
  const auto changed = static_cast<std::size_t>(at - first);
  const std::size_t missing =
      changed == 0 ? 0 : tree.descend(number, {&frames_[first], changed}, &nodes_[first]);
  std::span<const Frame> rest = stack.innermost(inner + missing);
  if (missing == 0 && inner == 1) {
    const TraceNumber node = callees_.find(tree, number, rest.front());
    if (node != kNoTrace) return node;
  } else if (missing == 0) {
    rest = rest.first(tree.descend(number, rest, nullptr));
  }
  if (rest.empty()) return number;
  const std::size_t known = size() - missing;
  CallTree::Outer outer;
  if (known > 0) outer.first = nodes_[end - 1];
  for (std::size_t i = 0; i < outer.anchors.size(); ++i) {
    const std::size_t anchor = CallTree::kAnchors[i];
    if (known >= anchor) outer.anchors[i] = nodes_[end - static_cast<std::int32_t>(anchor)];
  }
  constexpr std::uint32_t kHitsOfCounted = 8;
  return tree.number_missing(number, rest, outer,
                             random_() % kHitsOfCounted == 0 ? kHitsOfCounted : 0);
}

}  // namespace ddm
