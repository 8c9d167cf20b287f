// From the bottom of a piece of heap to its top, object by object.
//
// Runs while the program stands still: no allocation, no locks. Memory is read between the bounds
// given and nowhere else; a class word is looked up in the table and never followed. Where a word
// is no class that the table knows, or an object would not fit, the walk steps on until two objects
// in a row make sense, and that stretch becomes one of unknown kind. (Dead objects whose class was
// unloaded look like that, under G1, until their region is collected.)
#pragma once

#include <array>

#include "ddm/heap_segments.h"
#include "heap/walk/klass_table.h"
#include "heap/walk/run_log.h"

namespace ddm {

inline constexpr std::uint8_t kUnknownState = heap_state(Solidity::kHard, HeapKind::kUnknown);

class LinearWalk {
 public:
  LinearWalk(const ObjectLayout& layout, const KlassTable& table, RunLog& log)
      : layout_(layout), table_(table), log_(log) {}

  // From `bottom`, where an object begins, until `top` is reached. An object may reach beyond, up
  // to `limit` (a humongous object's last region). Returns where the last one ends.
  std::uintptr_t walk(std::uintptr_t bottom, std::uintptr_t top, std::uintptr_t limit) noexcept;

  std::uint64_t gaps() const { return gaps_; }
  std::uint64_t gap_bytes() const { return gap_bytes_; }
  // Class words at which gaps began, the first few.
  static constexpr std::size_t kMaxUnknown = 64;
  std::size_t unknown_count() const { return unknown_count_; }
  std::uint64_t unknown(std::size_t i) const { return unknown_[i]; }

 private:
  template <HeaderForm Form>
  std::uintptr_t walk_as(std::uintptr_t bottom, std::uintptr_t top, std::uintptr_t limit) noexcept;
  // The cell of the object at `at` and its size, if both make sense.
  template <HeaderForm Form>
  const KlassCell* object_at(std::uintptr_t at, std::uintptr_t limit,
                             std::uint64_t& size) const noexcept;
  template <HeaderForm Form>
  std::uintptr_t resync(std::uintptr_t from, std::uintptr_t top, std::uintptr_t limit) noexcept;
  void note_unknown(std::uint64_t key) noexcept;

  const ObjectLayout& layout_;
  const KlassTable& table_;
  RunLog& log_;
  std::uint64_t gaps_ = 0;
  std::uint64_t gap_bytes_ = 0;
  std::array<std::uint64_t, kMaxUnknown> unknown_{};
  std::size_t unknown_count_ = 0;
};

}  // namespace ddm
