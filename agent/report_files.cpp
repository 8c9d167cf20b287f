#include "report_files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "log.h"
#include "records/ring_path.h"

namespace ddm {

std::string fallback_path_of(const std::string& path) {
  const char* directory = std::getenv("TMPDIR");
  if (directory == nullptr || *directory == '\0') directory = "/tmp";
  return std::string(directory) + "/" + path.substr(path.rfind('/') + 1);
}

std::string time_text(std::int64_t seconds) {
  const std::time_t time = static_cast<std::time_t>(seconds);
  std::tm local{};
  char text[32] = "";
  if (localtime_r(&time, &local) != nullptr) {
    std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  }
  return text;
}

std::string fill_in_path(const std::string& path, std::int64_t pid, const std::string& time) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
    switch (next) {
      case 'p':
        result += std::to_string(pid);
        break;
      case 't':
        result += time;
        break;
      case '%':
        result += '%';
        break;
      default:
        result += path[i];
        continue;
    }
    ++i;
  }
  return result;
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

void ReportFiles::check() const {
  std::vector<std::string> all = paths_;
  all.insert(all.end(), heap_dumps_.begin(), heap_dumps_.end());
  for (const std::string& path : all) {
    if (path == "-") continue;
    if (access(directory_of(path).c_str(), W_OK | X_OK) != 0) {
      log_warn("dump={}: cannot write there ({}); the report will go to {}", path,
               std::strerror(errno), fallback_path_of(path));
    }
  }
}

void ReportFiles::write(const ReportData& data, bool oom) {
  for (const std::string& asked : paths_) {
    const std::string path = oom ? oom_path_of(asked) : asked;
    if (path == "-") {
      report_as(ReportFormat::kText, data, [](std::string_view piece) {
        write_stderr(piece);
        return true;
      });
    } else {
      write_file(path, data);
    }
  }
}

void ReportFiles::write_file(const std::string& path, const ReportData& data) {
  const ReportFormat format = report_format_of(path).value_or(ReportFormat::kText);
  if (needs_live(format) && !data.summary.live) {
    if (failing_.insert(path).second) log_error("{} is not written: it needs live=y", path);
    return;
  }
  const std::string error = write_report_file(path, format, data);
  if (error.empty()) {
    if (failing_.erase(path) > 0) log_warn("{} can be written again", path);
    return log_info("wrote {}", path);
  }
  const std::string fallback = fallback_path_of(path);
  const std::string fallback_error = write_report_file(fallback, format, data);
  // One that is written every so often will be tried again; the last one will not.
  const bool again = data.summary.reason == "every";
  const bool told = !failing_.insert(path).second;
  if (again && told) return;
  if (fallback_error.empty()) {
    log_error("{}; written to {} instead", error, fallback);
  } else if (again) {
    log_error("{}; {}; it is tried again, and this is said once", error, fallback_error);
  } else {
    log_error("{}; {}; here is the summary:", error, fallback_error);
    write_stderr(summary_report(data));
  }
}

}  // namespace ddm
