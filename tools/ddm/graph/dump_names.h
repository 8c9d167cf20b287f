// The names in a heap dump: of classes, frames and stacks. Only their file positions are kept.
//
// One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/result.h"
#include "graph/dump_extent.h"
#include "report/hprof/hprof_reader.h"
#include "site_figures.h"
#include "stack/frame.h"

namespace ddm {

struct DumpFrame {
  FrameName name;
  std::string signature;
  std::int32_t bci = kNativeFrameBci;  // in dumps of this agent
};

class DumpNames {
 public:
  // `fd`: the dump, read by pread().
  explicit DumpNames(int fd) : fd_(fd) {}

  // To be called with each record that is no heap dump segment, in the order of the file.
  void note(HprofReader& in, const HprofReader::Record& record);

  // "java.lang.String", "int[][]"; "unknown".
  std::string class_name(std::uint64_t class_id) const;
  static std::string array_name(std::uint8_t element);  // of a primitive type
  std::string text(std::uint64_t id) const;
  // By serial number, the innermost frame first; empty: unknown stack.
  std::vector<DumpFrame> stack(std::uint32_t serial);

 private:
  struct Extent {
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;
  };

  const DumpFrame& frame(std::uint64_t id);

  const int fd_;
  std::uint32_t id_bytes_ = 8;
  std::unordered_map<std::uint64_t, Extent> texts_, frames_;
  std::unordered_map<std::uint32_t, Extent> traces_;
  std::unordered_map<std::uint64_t, std::uint64_t> classes_;
  std::unordered_map<std::uint32_t, std::uint64_t> classes_by_serial_;
  std::unordered_map<std::uint64_t, DumpFrame> shown_;
};

// Reads the records of an opened dump: `names`, if not null, are noted, and `use` gets each object
// of the dump at `extent`.
// `progress`: called from time to time with the bytes read.
template <typename Use, typename Report>
std::optional<Error> walk_dump(HprofReader& in, const DumpExtent& extent, DumpNames* names,
                               const Use& use, const Report& progress) {
  constexpr std::uint64_t kProgressInterval = std::uint64_t{16} << 20;
  std::uint64_t reported = 0;
  while (const auto record = in.next()) {
    const std::uint64_t here = in.bytes().position();
    if (here > extent.end) break;
    if (record->holds_objects() && here < extent.begin) continue;
    if (record->holds_objects()) {
      while (const auto object = in.next_object()) use(*object);
    } else if (names != nullptr) {
      names->note(in, *record);
    }
    if (in.bytes().position() < reported + kProgressInterval) continue;
    reported = in.bytes().position();
    progress(reported);
  }
  if (!in.problem().empty()) return Error{in.problem()};
  return {};
}

}  // namespace ddm
