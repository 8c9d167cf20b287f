#include "heap/heap_cells.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ddm {
namespace {

constexpr std::string_view kColumnNames[kHeapColumns] = {
    "objects",       "classes", "1-byte arrays", "2-byte arrays", "4-byte arrays",
    "8-byte arrays", "unknown", "native",        "free"};

}  // namespace

std::string_view heap_column_name(std::size_t column) { return kColumnNames[column]; }

HeapCell& HeapCell::operator+=(const HeapCell& other) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] += other.bytes[i];
  return *this;
}

std::uint64_t HeapCell::committed() const {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

std::size_t HeapCell::main_column() const {
  if (used() == 0) return kFreeColumn;
  return static_cast<std::size_t>(std::max_element(bytes.begin(), bytes.begin() + kFreeColumn) -
                                  bytes.begin());
}

std::uint64_t position_of(const HeapSegment& segment) {
  const std::uint64_t slice = segment.heap_id > 0 ? segment.heap_id - 1 : 0;
  return (slice << 32) + segment.start + segment.offset;
}

HeapCells::HeapCells(const std::vector<HeapSegment>& segments, std::size_t most,
                     std::uint64_t least)
    : cell_bytes_(std::clamp(least, std::uint64_t{1}, kMostBytes)) {
  if (segments.empty()) return;
  std::uint64_t end = 0;
  begin_ = std::numeric_limits<std::uint64_t>::max();
  for (const HeapSegment& segment : segments) {
    begin_ = std::min(begin_, position_of(segment));
    end = std::max(end, position_of(segment) + std::uint64_t{segment.units} * segment.unit);
  }
  while (end - begin_ / cell_bytes_ * cell_bytes_ > cell_bytes_ * most) cell_bytes_ *= 2;
  begin_ = begin_ / cell_bytes_ * cell_bytes_;
  cells_.resize((end - begin_ + cell_bytes_ - 1) / cell_bytes_);
  for (const HeapSegment& segment : segments) {
    std::uint64_t position = position_of(segment);
    for (const HeapRun& run : segment.runs()) {
      const std::uint64_t bytes = run.units * segment.unit;
      add(position, bytes, heap_column_of(run.state));
      position += bytes;
    }
  }
}

void HeapCells::add(std::uint64_t position, std::uint64_t bytes, std::size_t column) {
  while (bytes > 0) {
    const std::uint64_t cell = (position - begin_) / cell_bytes_;
    const std::uint64_t part = std::min(bytes, begin_ + (cell + 1) * cell_bytes_ - position);
    cells_[cell].bytes[column] += part;
    position += part;
    bytes -= part;
  }
}

}  // namespace ddm
