// The files of reports: the paths of dump=, with %p and %t expanded, and their -oom counterparts.
//
// Recorded data is never lost: if a path cannot be written, the same file name in the temporary
// directory is used, which is logged.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "report/report.h"

namespace ddm {

class ReportFiles {
 public:
  // `start_time`: when the agent was loaded, seconds since the epoch; %t is its YYYYMMDD-HHMMSS.
  ReportFiles(const std::vector<std::string>& dumps, std::int64_t pid, std::int64_t start_time);

  bool any() const { return !paths_.empty(); }

  // Paths of heap dumps, which write() does not write.
  const std::vector<std::string>& heap_dumps() const { return heap_dumps_; }

  // Checks, before anything is recorded, that the directories are writable; logs which are not.
  void check();

  // Writes each report in the format of its ending; `oom` = to NAME-oom.EXT. Repeated failures of a
  // path during the run are logged once.
  void write(const ReportData& data, bool oom);

 private:
  void write_file(const std::string& path, const ReportData& data);

  std::vector<std::string> paths_;  // "-" = stderr
  std::vector<std::string> heap_dumps_;
  std::set<std::string> failing_;    // failures already logged
  std::set<std::string> announced_;  // cannot be written, as was logged at the start
};

// The same file name in the temporary directory.
std::string fallback_path_of(const std::string& path);

// "a/b.html" -> "a/b-oom.html".
std::string oom_path_of(const std::string& path);

}  // namespace ddm
