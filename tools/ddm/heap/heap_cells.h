// A heap map as cells of equal size, for display instead of millions of runs.
//
// Pure: segments in, bytes by kind out. Slices of 4 GiB are put back next to one another.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "wire/chunks/heap_segments.h"

namespace ddm {

// Kinds as the reader sees them: HeapKind, and free space.
inline constexpr std::size_t kHeapColumns = 9;
inline constexpr std::size_t kFreeColumn = 8;
// "objects", "classes", "1-byte arrays", ...
std::string_view heap_column_name(std::size_t column);

// The column of a run.
constexpr std::size_t heap_column_of(std::uint8_t state) {
  return solidity_of(state) == Solidity::kFree ? kFreeColumn
                                               : static_cast<std::size_t>(kind_of(state));
}

struct HeapCell {
  std::array<std::uint64_t, kHeapColumns> bytes{};
  HeapCell& operator+=(const HeapCell& other);
  std::uint64_t committed() const;
  std::uint64_t used() const { return committed() - bytes[kFreeColumn]; }
  // The kind with the most bytes of the cell; free only if nothing is used.
  std::size_t main_column() const;
};

// Where a segment begins, over all slices.
std::uint64_t position_of(const HeapSegment& segment);

class HeapCells {
 public:
  static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 48;  // of a cell

  // At most `most` cells over the range of the segments; the size of a cell is a power of two and
  // at least `least`, which is one as well, or kMostBytes if that is less.
  HeapCells(const std::vector<HeapSegment>& segments, std::size_t most, std::uint64_t least = 1);

  std::uint64_t begin() const { return begin_; }  // position of the first cell
  std::uint64_t cell_bytes() const { return cell_bytes_; }
  const std::vector<HeapCell>& cells() const { return cells_; }

 private:
  void add(std::uint64_t position, std::uint64_t bytes, std::size_t column);

  std::uint64_t begin_ = 0;
  std::uint64_t cell_bytes_ = 1;
  std::vector<HeapCell> cells_;
};

}  // namespace ddm
