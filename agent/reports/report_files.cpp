#include "reports/report_files.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "core/filled_path.h"
#include "core/log.h"
#include "core/new_file.h"
#include "core/temporary_directory.h"
#include "report/report_words.h"

namespace ddm {

std::string fallback_path_of(const std::string& path) {
  return temporary_directory() + "/" + path.substr(path.rfind('/') + 1);
}

std::string oom_path_of(const std::string& path) {
  const std::string_view ending = report_ending_of(path);
  if (ending.empty()) return path;
  return path.substr(0, path.size() - ending.size()) + "-oom" + std::string(ending);
}

ReportFiles::ReportFiles(const std::vector<std::string>& dumps, std::int64_t pid,
                         std::int64_t start_time) {
  const std::string time = time_text(start_time);
  for (const std::string& dump : dumps) {
    (is_heap_dump(dump) ? heap_dumps_ : paths_).push_back(fill_in_path(dump, pid, time));
  }
}

void ReportFiles::check() {
  std::vector<std::string> all = paths_;
  all.insert(all.end(), heap_dumps_.begin(), heap_dumps_.end());
  for (const std::string& path : all) {
    if (path == "-") continue;
    if (access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
      log_error("dump={}: cannot write there ({}); the report will go to {}", path,
                std::strerror(errno), fallback_path_of(path));
      announced_.insert(path);
    }
  }
}

void ReportFiles::write(const ReportData& data, bool oom) {
  for (const std::string& asked : paths_) {
    const std::string path = oom ? oom_path_of(asked) : asked;
    if (path == "-") {
      const bool terminal = isatty(STDERR_FILENO) == 1;
      text_report(data, write_stderr, terminal ? std::optional(kColumns) : std::nullopt);
    } else {
      write_file(path, data);
    }
  }
}

void ReportFiles::write_file(const std::string& path, const ReportData& data) {
  const ReportFormat format = report_format_of(path).value_or(ReportFormat::kText);
  if (const auto lacks = lacks_for(format, data); !lacks.empty()) {
    if (failing_.insert(path).second) log_error("{} is not written: it needs {}", path, lacks);
    return;
  }
  const auto error = write_report_file(path, format, data);
  if (!error) {
    if (failing_.erase(path) > 0) log_warn("{} can be written again", path);
    return log_info("wrote {}", path);
  }
  const std::string fallback = fallback_path_of(path);
  const auto fallback_error = write_report_file(fallback, format, data);
  // A periodic report will be retried; the final one will not.
  const bool again = data.summary.reason == "every";
  const bool logged_before = !failing_.insert(path).second;
  if (again && logged_before) return;
  if (!fallback_error) {
    log_at(announced_.contains(path) ? LogLevel::kInfo : LogLevel::kError,
           "{}; written to {} instead", error->message, fallback);
  } else if (again) {
    log_error("{}; {}; it is tried again, and this is said once", error->message,
              fallback_error->message);
  } else {
    log_error("{}; {}; here is the summary:", error->message, fallback_error->message);
    write_stderr(summary_report(data));
  }
}

}  // namespace ddm
