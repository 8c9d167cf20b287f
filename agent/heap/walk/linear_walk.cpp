#include "heap/walk/linear_walk.h"

#include <algorithm>
#include <type_traits>

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

LinearWalk::Quick LinearWalk::quick() const noexcept {
  return {at_, std::min(top_, limit_ - kQuickRoom + 1), limit_, log_.tail()};
}

void LinearWalk::take(const Quick& quick) noexcept {
  at_ = quick.at;
  log_.set_tail(quick.tail);
}

// Both by force inline, and `least` worked out before: otherwise it takes 1.45 times as long.
template <HeaderForm Form>
[[gnu::always_inline]] inline bool LinearWalk::Quick::step(const ObjectLayout& layout,
                                                           std::uint32_t least,
                                                           const KlassTable& table) noexcept {
  if (at >= top) return false;
  prefetch(at);
  const KlassCell* cell = table.find(key_at<Form>(layout, at));
  if (cell == nullptr || cell->form > SizeForm::kArray) return false;
  const std::uint64_t size = quick_size_of(layout, *cell, at);
  if (size < least || size > limit - at) return false;
  if (!tail.add(cell->state, size)) return false;
  at += size;
  return true;
}

template <HeaderForm Form, std::size_t... I>
[[gnu::always_inline]] inline std::size_t LinearWalk::go_quickly(
    const ObjectLayout& layout, const KlassTable& table, std::array<Quick, kAbreast>& walks,
    std::index_sequence<I...>) noexcept {
  const std::uint32_t least = layout.min_object_bytes();
  std::size_t stepping = 0;
  while ((walks[stepping = I].template step<Form>(layout, least, table) && ...)) {
  }
  return stepping;
}

template <HeaderForm Form>
void LinearWalk::go_abreast_as(std::array<LinearWalk, kAbreast>& walks) noexcept {
  // In registers, as far as they go.
  const ObjectLayout layout = walks[0].layout_;
  const KlassTable& table = walks[0].table_;
  std::array<Quick, kAbreast> quick;
  for (std::size_t i = 0; i < kAbreast; ++i) quick[i] = walks[i].quick();
  std::size_t stopped = 0;
  do {
    stopped = go_quickly<Form>(layout, table, quick, std::make_index_sequence<kAbreast>{});
    LinearWalk& walk = walks[stopped];
    walk.take(quick[stopped]);
    if (walk.done()) break;
    walk.step<Form>();
    quick[stopped] = walk.quick();
  } while (!walks[stopped].done());
  for (std::size_t i = 0; i < kAbreast; ++i) walks[i].take(quick[i]);
}

void LinearWalk::go_abreast(std::array<LinearWalk, kAbreast>& walks) noexcept {
  with_form(walks[0].layout_.header, [&walks](auto form) { go_abreast_as<form()>(walks); });
}

}  // namespace ddm
