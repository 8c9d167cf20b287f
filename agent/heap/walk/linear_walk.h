// From the bottom of a piece of heap to its top, object by object.
//
// Runs while the program stands still: no allocation, no locks. Memory is read between the bounds
// given and nowhere else; a class word is looked up in the table and never followed. Where a word
// is no class that the table knows, or an object would not fit, the walk steps on until two objects
// in a row make sense, and that stretch becomes one of unknown kind. (Dead objects whose class was
// unloaded look like that, under G1, until their region is collected.)
#pragma once

#include <array>
#include <utility>

#include "heap/walk/klass_table.h"
#include "heap/walk/run_log.h"
#include "wire/chunks/heap_segments.h"

namespace ddm {

inline constexpr std::uint8_t kUnknownState = heap_state(Solidity::kHard, HeapKind::kUnknown);

// Stretches that made no sense.
struct Gaps {
  std::uint64_t count = 0;
  std::uint64_t bytes = 0;

  Gaps& operator+=(const Gaps& other) {
    count += other.count;
    bytes += other.bytes;
    return *this;
  }
};

class LinearWalk {
 public:
  // Walks that go side by side. Measured: two take 0.55, three 0.45, four 0.46 of the time of one.
  static constexpr std::size_t kAbreast = 3;

  LinearWalk(const ObjectLayout& layout, const KlassTable& table, RunLog& log)
      : layout_(layout), table_(table), log_(log) {}

  // From `bottom`, where an object begins, until `top` is reached. An object may reach beyond, up
  // to `limit` (a humongous object's last region).
  void begin(std::uintptr_t bottom, std::uintptr_t top, std::uintptr_t limit) noexcept {
    at_ = bottom;
    top_ = top;
    limit_ = limit;
  }
  bool done() const { return at_ >= top_; }
  // Where the next object begins; behind the last one, at the end.
  std::uintptr_t at() const { return at_; }
  // All the way.
  void finish() noexcept;

  // All of them some way, until one is done. None is done yet; the layout is the same.
  static void go_abreast(std::array<LinearWalk, kAbreast>& walks) noexcept;

  const Gaps& gaps() const { return gaps_; }
  // Class words at which gaps began, the first few.
  static constexpr std::size_t kMaxUnknown = 64;
  std::size_t unknown_count() const { return unknown_count_; }
  std::uint64_t unknown(std::size_t i) const { return unknown_[i]; }

 private:
  // A walk that goes abreast with others, while it meets nothing but objects that need no care: as
  // little as fits into registers.
  struct Quick {
    std::uintptr_t at;
    std::uintptr_t top;  // below, an object may be read without a thought
    std::uintptr_t limit;
    RunLog::Tail tail;

    // Over one object. False: what is there needs care, and nothing has been done.
    template <HeaderForm Form>
    bool step(const ObjectLayout& layout, std::uint32_t least, const KlassTable& table) noexcept;
  };
  Quick quick() const noexcept;
  void take(const Quick& quick) noexcept;
  // One object of each in turn; which of them has come to something that needs care.
  template <HeaderForm Form, std::size_t... I>
  static std::size_t go_quickly(const ObjectLayout& layout, const KlassTable& table,
                                std::array<Quick, kAbreast>& walks,
                                std::index_sequence<I...>) noexcept;

  template <HeaderForm Form>
  static void go_abreast_as(std::array<LinearWalk, kAbreast>& walks) noexcept;
  // One object, or one gap.
  template <HeaderForm Form>
  void step() noexcept;
  // The cell of the object at `at` and its size, if both make sense.
  template <HeaderForm Form>
  const KlassCell* object_at(std::uintptr_t at, std::uint64_t& size) const noexcept;
  template <HeaderForm Form>
  void resync() noexcept;
  void note_unknown(std::uint64_t key) noexcept;

  const ObjectLayout& layout_;
  const KlassTable& table_;
  RunLog& log_;
  std::uintptr_t at_ = 0;
  std::uintptr_t top_ = 0;
  std::uintptr_t limit_ = 0;
  Gaps gaps_;
  std::array<std::uint64_t, kMaxUnknown> unknown_{};
  std::size_t unknown_count_ = 0;
};

}  // namespace ddm
