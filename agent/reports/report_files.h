// Where reports go: the paths of dump=, with %p and %t filled in, and the -oom twins.
//
// Writing never loses what was recorded: a path that cannot be written is replaced by the same
// file name in the temporary directory, with one line that says so.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/report.h"

namespace ddm {

class ReportFiles {
 public:
  // `start_time` is when the agent was loaded, seconds since the epoch: %t = YYYYMMDD-HHMMSS of it.
  ReportFiles(const std::vector<std::string>& dumps, std::int64_t pid, std::int64_t start_time);

  bool any() const { return !paths_.empty(); }

  // Not written by this: those of heap dumps.
  const std::vector<std::string>& heap_dumps() const { return heap_dumps_; }

  // Checks, before anything is recorded, that the directories can be written, and tells.
  void check() const;

  // Writes each report in the format of its ending; `oom` = to NAME-oom.EXT.
  // A path that fails again and again while the program runs is told of once.
  void write(const ReportData& data, bool oom);

 private:
  void write_file(const std::string& path, const ReportData& data);

  std::vector<std::string> paths_;  // "-" = stderr
  std::vector<std::string> heap_dumps_;
  std::set<std::string> failing_;  // told of
};

// The same file name where anybody may write.
std::string fallback_path_of(const std::string& path);

// "a/b.html" -> "a/b-oom.html".
std::string oom_path_of(const std::string& path);

}  // namespace ddm
