#include "graph/dump_extent.h"

#include <fmt/format.h>

#include "report/hprof/hprof_reader.h"

namespace ddm {

Result<DumpExtent> last_whole_dump(int fd) {
  // Texts are short, and what is between the heads of segments is not read.
  constexpr std::size_t kPiece = 16384;
  HprofReader in(fd, kPiece);
  if (!in.open()) return Error{in.problem()};
  DumpExtent extent;
  std::uint64_t begin = 0;  // of the segments whose end is still missing
  bool cut = false;
  const auto found = [&](std::uint64_t from, std::uint64_t to) {
    extent.begin = from;
    extent.end = to;
    ++extent.dumps;
    begin = 0;
  };
  while (const auto record = in.next()) {
    const std::uint64_t here = in.bytes().position();
    if (record->tag == HprofReader::kSegment && begin == 0) begin = here;
    if (record->tag == HprofReader::kSegmentsEnd && begin != 0) found(begin, here);
    if (record->tag != HprofReader::kHeapDump) continue;
    // A writer that fills the length in at the end leaves 0 when it is stopped.
    cut = record->length == 0 || !in.bytes().holds(here + record->length);
    if (cut) break;
    found(here, here + record->length);
  }
  cut = cut || begin != 0 || !in.problem().empty();
  if (extent.dumps == 0) {
    if (!in.problem().empty()) return Error{in.problem()};
    return Error{cut ? "it is cut: the end of its heap dump is missing"
                     : "it is cut, or no dump: it has no objects"};
  }
  extent.cut_behind = cut;
  return extent;
}

std::string which_dump(const DumpExtent& extent) {
  if (extent.cut_behind) {
    return fmt::format("the file is cut: the last whole heap dump in it, number {}, is read",
                       extent.dumps);
  }
  if (extent.dumps == 1) return {};
  return fmt::format("the file has {} heap dumps: the last one is read", extent.dumps);
}

}  // namespace ddm
