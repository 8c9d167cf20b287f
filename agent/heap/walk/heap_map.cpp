#include "heap/walk/heap_map.h"

#include <algorithm>

namespace ddm {

void HeapMap::sort_areas() {
  std::sort(areas.begin(), areas.end(),
            [](const HeapArea& a, const HeapArea& b) { return a.position < b.position; });
}

void HeapMap::complete() {
  sort_areas();
  counts_ = {};
  objects_ = committed_ = 0;
  for_each_run([this](std::uint64_t, std::uint64_t bytes, std::uint8_t state) {
    Count& count = counts_[state & 63];
    ++count.objects;
    count.bytes += bytes;
    committed_ += bytes;
    if (solidity_of(state) != Solidity::kFree && kind_of(state) != HeapKind::kUnknown) ++objects_;
  });
}

bool HeapMap::full() const {
  return std::any_of(logs.begin(), logs.end(), [](const RunLog& log) { return log.full(); });
}

std::size_t HeapMap::log_bytes() const {
  std::size_t sum = 0;
  for (const RunLog& log : logs) sum += log.size();
  return sum;
}

void HeapMap::write(HeapMapWriter& writer, bool merge) const {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint8_t last = 0;
  for_each_run([&](std::uint64_t position, std::uint64_t bytes, std::uint8_t state) {
    if ((merge || state == kFreeState) && position == end && state == last) {
      end += bytes;
      return;
    }
    writer.add(begin, end - begin, last);
    begin = position;
    end = position + bytes;
    last = state;
  });
  writer.add(begin, end - begin, last);
  writer.finish();
}

}  // namespace ddm
