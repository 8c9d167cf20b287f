#include "heap/walk/linear_walk.h"

namespace ddm {
namespace {

// Memory is what the walk waits for. A prefetch of what is not there is harmless.
constexpr std::uintptr_t kPrefetchAhead = 1024;

}  // namespace

void LinearWalk::note_unknown(std::uint64_t key) noexcept {
  for (std::size_t i = 0; i < unknown_count_; ++i) {
    if (unknown_[i] == key) return;
  }
  if (unknown_count_ < kMaxUnknown) unknown_[unknown_count_++] = key;
}

template <HeaderForm Form>
const KlassCell* LinearWalk::object_at(std::uintptr_t at, std::uintptr_t limit,
                                       std::uint64_t& size) const noexcept {
  const std::uint64_t room = limit - at;
  if (room < layout_.min_object_bytes()) return nullptr;
  const KlassCell* cell = table_.find(key_at<Form>(layout_, at));
  if (cell == nullptr) return nullptr;
  size = size_of(layout_, *cell, at, room);
  return size >= layout_.min_object_bytes() && size <= room ? cell : nullptr;
}

template <HeaderForm Form>
std::uintptr_t LinearWalk::resync(std::uintptr_t from, std::uintptr_t top,
                                  std::uintptr_t limit) noexcept {
  if (top - from >= layout_.min_object_bytes()) note_unknown(key_at<Form>(layout_, from));
  std::uintptr_t at = from + layout_.alignment;
  for (; at < top; at += layout_.alignment) {
    std::uint64_t size = 0;
    if (object_at<Form>(at, limit, size) == nullptr) continue;
    const std::uintptr_t next = at + size;
    std::uint64_t next_size = 0;
    if (next >= top || object_at<Form>(next, limit, next_size) != nullptr) break;
  }
  if (at > top) at = top;
  ++gaps_;
  gap_bytes_ += at - from;
  log_.add(kUnknownState, at - from);
  return at;
}

template <HeaderForm Form>
std::uintptr_t LinearWalk::walk_as(std::uintptr_t bottom, std::uintptr_t top,
                                   std::uintptr_t limit) noexcept {
  const ObjectLayout layout = layout_;  // in registers
  const std::uint32_t least = layout.min_object_bytes();
  std::uintptr_t at = bottom;
  while (at < top) {
    const std::uint64_t room = limit - at;
    const KlassCell* cell = nullptr;
    std::uint64_t size = 0;
    __builtin_prefetch(reinterpret_cast<const void*>(at + kPrefetchAhead));
    if (room >= kQuickRoom) {
      cell = table_.find(key_at<Form>(layout, at));
      if (cell != nullptr) {
        size = cell->form <= SizeForm::kArray ? quick_size_of(layout, *cell, at)
                                              : size_of(layout, *cell, at, room);
      }
    } else {
      cell = object_at<Form>(at, limit, size);
    }
    if (cell == nullptr || size < least || size > room) {
      at = resync<Form>(at, top, limit);
      continue;
    }
    log_.add(cell->state, size);
    at += size;
  }
  return at;
}

std::uintptr_t LinearWalk::walk(std::uintptr_t bottom, std::uintptr_t top,
                                std::uintptr_t limit) noexcept {
  switch (layout_.header) {
    case HeaderForm::kWide:
      return walk_as<HeaderForm::kWide>(bottom, top, limit);
    case HeaderForm::kNarrow:
      return walk_as<HeaderForm::kNarrow>(bottom, top, limit);
    case HeaderForm::kCompact:
      break;
  }
  return walk_as<HeaderForm::kCompact>(bottom, top, limit);
}

}  // namespace ddm
