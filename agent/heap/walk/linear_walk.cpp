#include "heap/walk/linear_walk.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace ddm {
namespace {

// Memory is what the walk waits for. Two distances take three quarters of the time of one: the far
// one brings the page's translation, and large arrays are jumped over. What is not there does no
// harm.
void prefetch(std::uintptr_t at) noexcept {
  __builtin_prefetch(reinterpret_cast<const void*>(at + 1024));
  __builtin_prefetch(reinterpret_cast<const void*>(at + 3072));
}

template <typename Work>
void with_form(HeaderForm form, Work work) {
  switch (form) {
    case HeaderForm::kWide:
      return work(std::integral_constant<HeaderForm, HeaderForm::kWide>{});
    case HeaderForm::kNarrow:
      return work(std::integral_constant<HeaderForm, HeaderForm::kNarrow>{});
    case HeaderForm::kCompact:
      return work(std::integral_constant<HeaderForm, HeaderForm::kCompact>{});
  }
}

}  // namespace

void LinearWalk::note_unknown(std::uint64_t key) noexcept {
  for (std::size_t i = 0; i < unknown_count_; ++i) {
    if (unknown_[i] == key) return;
  }
  if (unknown_count_ < kMaxUnknown) unknown_[unknown_count_++] = key;
}

template <HeaderForm Form>
const KlassCell* LinearWalk::object_at(std::uintptr_t at, std::uint64_t& size) const noexcept {
  const std::uint64_t room = limit_ - at;
  if (room < layout_.min_object_bytes()) return nullptr;
  const KlassCell* cell = table_.find(key_at<Form>(layout_, at));
  if (cell == nullptr) return nullptr;
  size = size_of(layout_, *cell, at, room);
  return size >= layout_.min_object_bytes() && size <= room ? cell : nullptr;
}

template <HeaderForm Form>
void LinearWalk::resync() noexcept {
  if (top_ - at_ >= layout_.min_object_bytes()) note_unknown(key_at<Form>(layout_, at_));
  std::uintptr_t at = at_ + layout_.alignment;
  for (; at < top_; at += layout_.alignment) {
    std::uint64_t size = 0;
    if (object_at<Form>(at, size) == nullptr) continue;
    const std::uintptr_t next = at + size;
    std::uint64_t next_size = 0;
    if (next >= top_ || object_at<Form>(next, next_size) != nullptr) break;
  }
  at = std::min(at, top_);
  gaps_ += {1, at - at_};
  log_.add(kUnknownState, at - at_);
  at_ = at;
}

template <HeaderForm Form>
void LinearWalk::step() noexcept {
  std::uint64_t size = 0;
  const KlassCell* cell = object_at<Form>(at_, size);
  if (cell == nullptr) return resync<Form>();
  log_.add(cell->state, size);
  at_ += size;
}

void LinearWalk::finish() noexcept {
  with_form(layout_.header, [this](auto form) {
    while (!done()) {
      prefetch(at_);
      step<form()>();
    }
  });
}

template <HeaderForm Form>
void LinearWalk::go_abreast_as(std::array<LinearWalk, kAbreast>& walks) noexcept {
  // In registers, as far as they go.
  const ObjectLayout layout = walks[0].layout_;
  const KlassTable& table = walks[0].table_;
  const std::uint32_t least = layout.min_object_bytes();
  std::array<std::uintptr_t, kAbreast> at;
  std::array<std::uintptr_t, kAbreast> quick_top;  // below, an object may be read without a thought
  std::array<RunLog::Tail, kAbreast> tail;
  for (std::size_t i = 0; i < kAbreast; ++i) {
    at[i] = walks[i].at_;
    quick_top[i] = std::min(walks[i].top_, walks[i].limit_ - kQuickRoom + 1);
    tail[i] = walks[i].log_.tail();
  }
  std::size_t stopped = 0;
  const auto quick_step = [&](auto lane) {
    constexpr std::size_t i = lane;
    stopped = i;
    if (at[i] >= quick_top[i]) return false;
    prefetch(at[i]);
    const KlassCell* cell = table.find(key_at<Form>(layout, at[i]));
    if (cell == nullptr || cell->form > SizeForm::kArray) return false;
    const std::uint64_t size = quick_size_of(layout, *cell, at[i]);
    if (size < least || size > walks[i].limit_ - at[i]) return false;
    if (!tail[i].add(cell->state, size)) return false;
    at[i] += size;
    return true;
  };
  const auto round = [&]<std::size_t... Lane>(std::index_sequence<Lane...>) {
    return (quick_step(std::integral_constant<std::size_t, Lane>{}) && ...);
  };
  do {
    while (round(std::make_index_sequence<kAbreast>{})) {
    }
    // What one of them has met needs care.
    LinearWalk& walk = walks[stopped];
    walk.at_ = at[stopped];
    walk.log_.set_tail(tail[stopped]);
    if (walk.done()) break;
    walk.step<Form>();
    at[stopped] = walk.at_;
    tail[stopped] = walk.log_.tail();
  } while (!walks[stopped].done());
  for (std::size_t i = 0; i < kAbreast; ++i) {
    walks[i].at_ = at[i];
    walks[i].log_.set_tail(tail[i]);
  }
}

void LinearWalk::go_abreast(std::array<LinearWalk, kAbreast>& walks) noexcept {
  with_form(walks[0].layout_.header, [&walks](auto form) { go_abreast_as<form()>(walks); });
}

}  // namespace ddm
