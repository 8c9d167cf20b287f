#include "heap/walk/linear_walk.h"

#include <algorithm>

namespace ddm {
namespace {

// The walk is bound by memory latency. Two distances take three quarters of the time of one: the
// far one loads the page's translation, and large arrays are skipped. Prefetching unmapped memory
// is harmless.
void prefetch(std::uintptr_t at) noexcept {
  __builtin_prefetch(reinterpret_cast<const void*>(at + 1024));
  __builtin_prefetch(reinterpret_cast<const void*>(at + 3072));
}

}  // namespace

void LinearWalk::note_unknown(std::uint64_t key) noexcept {
  if (std::ranges::find(unknown(), key) != unknown().end()) return;
  if (unknown_count_ < kMaxUnknown) unknown_[unknown_count_++] = key;
}

template <HeaderForm Form>
const KlassCell* LinearWalk::object_at(std::uintptr_t at, std::uint64_t& size) const noexcept {
  const std::uint64_t readable = limit_ - at;
  if (readable < layout_.min_object_bytes()) return nullptr;
  const KlassCell* cell = table_.find(key_at<Form>(layout_, at));
  if (cell == nullptr) return nullptr;
  size = size_of(layout_, *cell, at, readable);
  return size >= layout_.min_object_bytes() && size <= readable ? cell : nullptr;
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

LinearWalk::FastWalk LinearWalk::fast() const noexcept {
  return {at_, std::min(top_, limit_ - kFastBytes + 1), limit_, log_.tail()};
}

void LinearWalk::resume(const FastWalk& fast) noexcept {
  at_ = fast.at;
  log_.set_tail(fast.tail);
}

// Both forced inline, and `least` computed outside: otherwise the walk takes 1.45 times as long.
template <HeaderForm Form>
[[gnu::always_inline]] inline bool LinearWalk::FastWalk::step(const ObjectLayout& layout,
                                                              std::uint32_t least,
                                                              const KlassTable& table) noexcept {
  if (at >= top) return false;
  prefetch(at);
  const KlassCell* cell = table.find(key_at<Form>(layout, at));
  if (cell == nullptr || cell->form > SizeForm::kArray) return false;
  const std::uint64_t size = fast_size_of(layout, *cell, at);
  if (size < least || size > limit - at) return false;
  if (!tail.add(cell->state, size)) return false;
  at += size;
  return true;
}

template <HeaderForm Form, std::size_t... I>
[[gnu::always_inline]] inline std::size_t LinearWalk::step_fast(
    const ObjectLayout& layout, const KlassTable& table, std::array<FastWalk, kInterleaved>& walks,
    std::index_sequence<I...>) noexcept {
  const std::uint32_t least = layout.min_object_bytes();
  std::size_t stepping = 0;
  while ((walks[stepping = I].template step<Form>(layout, least, table) && ...)) {
  }
  return stepping;
}

template <HeaderForm Form>
void LinearWalk::walk_interleaved_as(std::array<LinearWalk, kInterleaved>& walks) noexcept {
  // A local copy, for registers.
  const ObjectLayout layout = walks[0].layout_;
  const KlassTable& table = walks[0].table_;
  std::array<FastWalk, kInterleaved> fast;
  for (std::size_t i = 0; i < kInterleaved; ++i) fast[i] = walks[i].fast();
  std::size_t stopped = 0;
  do {
    stopped = step_fast<Form>(layout, table, fast, std::make_index_sequence<kInterleaved>{});
    LinearWalk& walk = walks[stopped];
    walk.resume(fast[stopped]);
    if (walk.done()) break;
    walk.step<Form>();
    fast[stopped] = walk.fast();
  } while (!walks[stopped].done());
  for (std::size_t i = 0; i < kInterleaved; ++i) walks[i].resume(fast[i]);
}

void LinearWalk::walk_interleaved(std::array<LinearWalk, kInterleaved>& walks) noexcept {
  with_form(walks[0].layout_.header, [&walks](auto form) { walk_interleaved_as<form()>(walks); });
}

}  // namespace ddm
