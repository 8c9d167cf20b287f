// The names in a heap dump: of classes, frames and stacks. Only their file positions are kept.
//
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/hprof/hprof_reader.h"
#include "site_figures.h"

namespace ddm {

struct DumpFrame {
  FrameName name;
  std::string signature;
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

}  // namespace ddm
