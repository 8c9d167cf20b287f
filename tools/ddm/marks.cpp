#include "marks.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>

#include "core/file_descriptor.h"
#include "json_values.h"
#include "report/report_words.h"
#include "wire/sockets/discovery.h"

namespace ddm {
namespace {

constexpr std::string_view kEnding = ".jsonl";
constexpr std::string_view kPageEnding = ".html";
constexpr std::size_t kLongestMarkName = 64;

// Whether the program of a mark has ended. The state of programs outside this pid namespace (in a
// container, through a tunnel) is unknown; their marks are stale after a week.
bool is_stale(const MarkFile& mark) {
  constexpr std::int64_t kWeek = 7 * 24 * 3600;
  struct stat status {};
  if (stat(mark.path.c_str(), &status) != 0) return false;
  if (time(nullptr) - status.st_mtime > kWeek) return true;
  const auto start = process_start_time(static_cast<pid_t>(mark.pid));
  const auto figures = read_figures_file(mark.path);
  if (!figures) return true;
  const bool of_here =
      figures->fact("pid_namespace") == static_cast<std::int64_t>(own_pid_namespace());
  return of_here && start != static_cast<std::uint64_t>(figures->fact("process_start"));
}

Json known_frame(const FrameName& frame) {
  if (!frame.known()) return nullptr;
  return frame_json(frame.class_name, frame.method, frame.file, frame.line);
}

bool same(const SiteFigures& a, const SiteFigures& b, const char* fact) {
  return a.fact(fact) == b.fact(fact);
}

}  // namespace

Result<std::string> marks_directory() {
  std::optional<Error> failed;
  for (const std::string& above : discovery_directories(geteuid())) {
    const std::string path = above + "/marks";
    for (const std::string& directory : {above, path}) {
      failed.reset();
      if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
        failed = errno_error("cannot create " + directory);
      } else {
        failed = check_private_directory(directory, geteuid());
      }
      if (failed) break;
    }
    if (!failed) return path;
  }
  return *failed;
}

std::vector<MarkFile> list_marks(const std::string& directory, std::string_view ending) {
  std::vector<MarkFile> marks;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(directory.c_str()), closedir);
  if (!stream) return marks;
  while (const dirent* entry = readdir(stream.get())) {
    std::string_view name = entry->d_name;
    MarkFile mark;
    mark.path = directory + "/" + std::string(name);
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), mark.pid);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (error != std::errc() || !name.starts_with('-') || !name.ends_with(ending)) continue;
    mark.name = name.substr(1, name.size() - 1 - ending.size());
    marks.push_back(std::move(mark));
  }
  std::ranges::sort(marks, {}, &MarkFile::name);
  return marks;
}

std::string mark_path(const std::string& directory, std::int64_t pid, const std::string& name,
                      std::string_view ending) {
  return fmt::format("{}/{}-{}{}", directory, pid, name, ending);
}

std::optional<Error> check_mark_name(const std::string& name) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (!name.empty() && name.size() <= kLongestMarkName &&
      name.find_first_not_of(kAllowed) == std::string::npos) {
    return {};
  }
  return Error{
      fmt::format("'{}': a mark's name is of letters, digits, '.', '_' and '-', at most {} of them",
                  name, kLongestMarkName)};
}

std::optional<Error> set_mark(const std::string& name, const SiteFigures& figures,
                              std::string_view page) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  for (const MarkFile& mark : list_marks(*directory, kEnding)) {
    if (!is_stale(mark)) continue;
    unlink(mark.path.c_str());
    unlink(mark_path(*directory, mark.pid, mark.name, kPageEnding).c_str());
  }
  const std::int64_t pid = figures.fact("pid");
  const mode_t former = umask(S_IRWXG | S_IRWXO);
  std::string problem =
      write_report_file(mark_path(*directory, pid, name, kEnding), [&](const ReportSink& sink) {
        Json summary = figures.summary;
        if (process_start_time(static_cast<pid_t>(pid)) ==
            static_cast<std::uint64_t>(figures.fact("process_start"))) {
          summary["pid_namespace"] = own_pid_namespace();
        }
        if (!sink(json_line(summary) + "\n")) return false;
        for (const SiteFigure& site : figures.sites) {
          const Json line = {
              {"type", "site"},      {"class", site.class_name},   {"count", site.count},
              {"bytes", site.bytes}, {"at", known_frame(site.at)}, {"app", known_frame(site.app)}};
          if (!sink(json_line(line) + "\n")) return false;
        }
        return true;
      });
  if (problem.empty()) {
    problem = write_report_file(mark_path(*directory, pid, name, kPageEnding), page);
  }
  umask(former);
  if (!problem.empty()) return Error{problem};
  return {};
}

Result<std::string> page_of_mark(const std::string& name, std::int64_t pid) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  return mark_path(*directory, pid, name, kPageEnding);
}

Result<SiteFigures> find_mark(const std::string& name, const SiteFigures& now) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  const std::int64_t pid = now.fact("pid");
  const std::string again = fmt::format("; set it again with --mark {}", name);
  std::string known;
  for (const MarkFile& mark : list_marks(*directory, kEnding)) {
    if (mark.pid != pid) continue;
    if (mark.name != name) {
      known += (known.empty() ? "" : ", ") + mark.name;
      continue;
    }
    auto then = read_figures_file(mark.path);
    if (!then) return then;
    if (!same(*then, now, "process_start")) {
      return Error{
          fmt::format("mark '{}' is of an earlier program that was process {}; this one "
                      "has started since{}",
                      name, pid, again)};
    }
    if (!same(*then, now, "period")) {
      return Error{
          fmt::format("since mark '{}' tracking was switched off and on again, and all "
                      "figures began anew{}",
                      name, again)};
    }
    return then;
  }
  for (const MarkFile& mark : list_marks(*directory, kEnding)) {
    if (mark.name != name || !is_stale(mark)) continue;
    return Error{fmt::format("mark '{}' is of process {}, which has ended; process {} has {}", name,
                             mark.pid, pid, known.empty() ? "no marks" : "these: " + known)};
  }
  return Error{fmt::format(
      "process {} has no mark '{}'; {}", pid, name,
      known.empty() ? "it has none at all: --mark NAME sets one" : "it has these: " + known)};
}

}  // namespace ddm
