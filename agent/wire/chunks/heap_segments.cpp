#include "wire/chunks/heap_segments.h"

namespace ddm {
namespace {

// Decodes pairs to runs; false if an object does not end, or continues with another kind.
template <typename Take>
bool unpack(ByteSpan pairs, Take take) {
  if (pairs.size() % 2 != 0) return false;
  HeapRun run;
  bool partial = false;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    const auto state = static_cast<std::uint8_t>(pairs[i] & ~kPartialBit);
    if (partial && state != run.state) return false;
    if (!partial) run = {state, 0};
    run.units += pairs[i + 1] + 1u;
    partial = (pairs[i] & kPartialBit) != 0;
    if (!partial) take(run);
  }
  return !partial;
}

}  // namespace

void SegmentPairs::write(ByteWriter& out, const HeapSegment& segment) const {
  out.bytes(segment.pairs);
}

void SegmentPairs::read(ByteReader& in, HeapSegment& segment) const {
  const ByteSpan pairs = in.rest();
  std::uint64_t total = 0;
  const bool whole = unpack(pairs, [&total](const HeapRun& run) { total += run.units; });
  if (!whole || total != segment.units) return in.fail();
  segment.pairs.assign(pairs.begin(), pairs.end());
}

std::vector<HeapRun> HeapSegment::runs() const {
  std::vector<HeapRun> result;
  unpack(pairs, [&result](const HeapRun& run) { result.push_back(run); });
  return result;
}

void HeapTotals::add(const HeapSegment& segment) {
  unpack(segment.pairs, [&](const HeapRun& run) {
    Count& count = by_solidity_and_kind[run.state & 7][run.state >> 3 & 7];
    count.bytes += run.units * segment.unit;
    ++count.runs;
  });
}

std::uint64_t HeapTotals::free_bytes() const {
  std::uint64_t total = 0;
  for (const Count& count : by_solidity_and_kind[0]) total += count.bytes;
  return total;
}

std::uint64_t HeapTotals::used_bytes() const {
  std::uint64_t total = 0;
  for (std::size_t solidity = 1; solidity < by_solidity_and_kind.size(); ++solidity) {
    for (const Count& count : by_solidity_and_kind[solidity]) total += count.bytes;
  }
  return total;
}

}  // namespace ddm
