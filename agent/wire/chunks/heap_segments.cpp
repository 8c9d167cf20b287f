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

}  // namespace ddm
