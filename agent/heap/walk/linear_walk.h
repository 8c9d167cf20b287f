// Walks a space from bottom to top, object by object.
//
// Runs at a safepoint: no allocation, no locks. Only memory between the bounds is read; a class word
// is looked up in the table and never dereferenced. Where it is not in the table, or an object would
// not fit, the walk resynchronizes at the next two plausible objects in a row, and the gap becomes
// one of unknown kind. (Under G1, dead objects whose class was unloaded are such gaps until their
// region is collected.)
#pragma once

#include <array>
#include <span>
#include <utility>

#include "heap/walk/klass_table.h"
#include "heap/walk/run_log.h"
#include "wire/chunks/heap_segments.h"

namespace ddm {

inline constexpr std::uint8_t kUnknownState = heap_state(Solidity::kHard, HeapKind::kUnknown);

// Ranges that could not be parsed.
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
  // Interleaved walks. Measured: two take 0.55, three 0.45, four 0.46 of the time of one.
  static constexpr std::size_t kInterleaved = 3;

  LinearWalk(const ObjectLayout& layout, const KlassTable& table, RunLog& log)
      : layout_(layout), table_(table), log_(log) {}

  // Starts at `bottom`, where an object begins, and ends at `top`. The last object may extend beyond
  // it, up to `limit` (a humongous object's last region).
  void begin(std::uintptr_t bottom, std::uintptr_t top, std::uintptr_t limit) noexcept {
    at_ = bottom;
    top_ = top;
    limit_ = limit;
  }
  bool done() const { return at_ >= top_; }
  // Where the next object begins; at the end, after the last one.
  std::uintptr_t at() const { return at_; }
  // Walks to the top.
  void finish() noexcept;

  // Advances all of them until one is done. None is done at the call; all have the same layout.
  static void walk_interleaved(std::array<LinearWalk, kInterleaved>& walks) noexcept;

  const Gaps& gaps() const { return gaps_; }
  // The first few class words at which gaps began.
  std::span<const std::uint64_t> unknown() const { return {unknown_.data(), unknown_count_}; }

 private:
  // The state of an interleaved walk, small enough for registers, while it meets only objects of
  // the common forms (fast_size_of()).
  struct FastWalk {
    std::uintptr_t at;
    std::uintptr_t top;  // below it, kFastBytes are readable
    std::uintptr_t limit;
    RunLog::Tail tail;

    // Steps over one object. False: it is not of a common form, and nothing was done.
    template <HeaderForm Form>
    bool step(const ObjectLayout& layout, std::uint32_t least, const KlassTable& table) noexcept;
  };
  FastWalk fast() const noexcept;
  void resume(const FastWalk& fast) noexcept;
  // Steps each walk in turn, one object at a time; returns the index of the first that cannot.
  template <HeaderForm Form, std::size_t... I>
  static std::size_t step_fast(const ObjectLayout& layout, const KlassTable& table,
                               std::array<FastWalk, kInterleaved>& walks,
                               std::index_sequence<I...>) noexcept;

  template <HeaderForm Form>
  static void walk_interleaved_as(std::array<LinearWalk, kInterleaved>& walks) noexcept;
  // One object, or one gap.
  template <HeaderForm Form>
  void step() noexcept;
  // The cell of the object at `at`, and its size; null: implausible.
  template <HeaderForm Form>
  const KlassCell* object_at(std::uintptr_t at, std::uint64_t& size) const noexcept;
  template <HeaderForm Form>
  void resync() noexcept;
  void note_unknown(std::uint64_t key) noexcept;

  static constexpr std::size_t kMaxUnknown = 64;

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
