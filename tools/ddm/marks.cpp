#include "marks.h"

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "core/file_descriptor.h"
#include "json_values.h"
#include "wire/sockets/discovery.h"
#include "wire/sockets/owned_file.h"

namespace ddm {
namespace {

constexpr std::string_view kEnding = ".jsonl";
constexpr std::string_view kPageEnding = ".html";
constexpr std::size_t kLongestMarkName = 64;
constexpr std::string_view kNativeMarkEnding = ".nhgt";
constexpr std::size_t kMaxNativeMark = std::size_t{1} << 30;

//   u8 process start, u4 period, then NHGT
constexpr std::size_t kNativeMarkHead = 12;

struct MarkFile {
  std::string path;
  std::int64_t pid = 0;
  std::string name;
};

// The user's private directory of marks, created if missing.
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

// The files PID-NAME with this ending, by name.
std::vector<MarkFile> list_marks(const std::string& directory, std::string_view ending) {
  std::vector<MarkFile> marks;
  for (const std::string& file : names_in(directory)) {
    std::string_view name = file;
    MarkFile mark;
    mark.path = directory + "/" + file;
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

bool is_older_than_week(const MarkFile& mark) {
  constexpr std::int64_t kWeek = 7 * 24 * 3600;
  struct stat status {};
  return stat(mark.path.c_str(), &status) == 0 && time(nullptr) - status.st_mtime > kWeek;
}

// Whether the program of a mark has ended. The state of programs outside this pid namespace (in a
// container, through a tunnel) is unknown; their marks are stale after a week.
bool is_stale(const MarkFile& mark) {
  if (is_older_than_week(mark)) return true;
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

std::string marks_fault(const std::string& mark, const std::string& since) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  for (const std::string& name : {mark, since}) {
    if (name.size() > kLongestMarkName || name.find_first_not_of(kAllowed) != std::string::npos) {
      return fmt::format(
          "'{}': a mark's name is of letters, digits, '.', '_' and '-', at most {} of them", name,
          kLongestMarkName);
    }
  }
  return "";
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
  auto error =
      write_report_file(mark_path(*directory, pid, name, kEnding), [&](const ReportSink& sink) {
        Json summary = figures.summary;
        summary["site_lines"] = figures.sites.size();
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
  if (!error) error = write_report_file(mark_path(*directory, pid, name, kPageEnding), page);
  umask(former);
  return error;
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
  std::vector<std::string> others;
  for (const MarkFile& mark : list_marks(*directory, kEnding)) {
    if (mark.pid != pid) continue;
    if (mark.name != name) {
      others.push_back(mark.name);
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
  const std::string known = listed(others, others.size());
  for (const MarkFile& mark : list_marks(*directory, kEnding)) {
    if (mark.name != name || !is_stale(mark)) continue;
    return Error{fmt::format("mark '{}' is of process {}, which has ended; process {} has {}", name,
                             mark.pid, pid, known.empty() ? "no marks" : "these: " + known)};
  }
  return Error{fmt::format(
      "process {} has no mark '{}'; {}", pid, name,
      known.empty() ? "it has none at all: --mark NAME sets one" : "it has these: " + known)};
}

std::optional<Error> set_native_mark(const std::string& name, const NativeMoment& now,
                                     const NativeHeap& heap) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  for (const MarkFile& mark : list_marks(*directory, kNativeMarkEnding)) {
    // It does not tell in which pid namespace its program is, which so may be alive elsewhere.
    if (is_older_than_week(mark) && !process_start_time(mark.pid)) unlink(mark.path.c_str());
  }
  ByteWriter head;
  head.u8(now.process_start);
  head.u4(now.period);
  std::string text;
  for (const Bytes& part : {head.take(), heap.encode()}) text.append(part.begin(), part.end());
  const mode_t former = umask(S_IRWXG | S_IRWXO);
  auto error = write_report_file(mark_path(*directory, now.pid, name, kNativeMarkEnding), text);
  umask(former);
  return error;
}

Result<NativeHeap> find_native_mark(const std::string& name, const NativeMoment& now) {
  const auto directory = marks_directory();
  if (!directory) return directory.error();
  const auto text = read_owned_file(mark_path(*directory, now.pid, name, kNativeMarkEnding),
                                    geteuid(), kMaxNativeMark);
  if (!text || text->size() < kNativeMarkHead) {
    return Error{fmt::format("process {} has no mark '{}' of native memory; --mark {} sets one",
                             now.pid, name, name)};
  }
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(text->data()), text->size());
  ByteReader head(bytes);
  const std::uint64_t start = head.u8();
  const std::uint32_t period = head.u4();
  if (start != now.process_start) {
    return Error{fmt::format(
        "mark '{}' is of an earlier program that was process {}; set it again with --mark {}", name,
        now.pid, name)};
  }
  if (period != now.period) {
    return Error{
        fmt::format("since mark '{}' native sampling was switched off and on again, and all "
                    "figures began anew; set it again with --mark {}",
                    name, name)};
  }
  auto heap = NativeHeap::decode(head.rest());
  if (!heap) return Error{fmt::format("mark '{}' is damaged; set it again", name)};
  return std::move(*heap);
}

}  // namespace ddm
