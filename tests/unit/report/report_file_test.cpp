#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <thread>

#include "report_sample.h"

using namespace ddm;
namespace fs = std::filesystem;

namespace {
// A mount whose files belong to another user, and have no locks.
bool g_foreign_mount = false;
}  // namespace

// Take the place of libc's.
extern "C" int flock(int fd, int operation) noexcept {
  if (!g_foreign_mount) return static_cast<int>(syscall(SYS_flock, fd, operation));
  errno = ENOLCK;
  return -1;
}
extern "C" uid_t geteuid() noexcept {
  return static_cast<uid_t>(syscall(SYS_geteuid)) + (g_foreign_mount ? 1 : 0);
}

namespace {

class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "report_file_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) FAIL("mkdtemp");
    path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() { fs::remove_all(path_); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_))
      names.push_back(entry.path().filename());
    return names;
  }

 private:
  fs::path path_;
};

std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// While it lives this process cannot write a file beyond `bytes`: what a full disk looks like.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit before_{};
  void (*old_handler_)(int) = SIG_DFL;
};

}  // namespace

TEST_CASE("A path's ending names the format") {
  CHECK(report_format_of("a/b.txt") == ReportFormat::kText);
  CHECK(report_format_of("b.collapsed") == ReportFormat::kCollapsed);
  CHECK(report_format_of("b.jsonl") == ReportFormat::kJsonl);
  CHECK(report_format_of("b.sites.jsonl") == ReportFormat::kSitesJsonl);
  CHECK(report_ending_of("b.sites.jsonl") == ".sites.jsonl");
  CHECK(report_format_of("b.html") == ReportFormat::kHtml);
  for (const char* other : {"", "txt", "b.json", "b.TXT", "b.html.gz", "-"}) {
    CHECK(report_format_of(other) == std::nullopt);
  }
}

TEST_CASE("A report of many records goes out in pieces of about a megabyte", "[large]") {
  ReportSample sample;
  const std::vector<Frame> stack(16, sample.frame("com.example.Deep", "method", "Deep.java", 1));
  for (int i = 0; i < 3000; ++i) sample.add("byte[]", 24, 1, stack);
  for (const ReportFormat format : {ReportFormat::kText, ReportFormat::kJsonl}) {
    std::size_t largest = 0;
    int pieces = 0;
    report_as(format, sample.data, [&](std::string_view piece) {
      largest = std::max(largest, piece.size());
      ++pieces;
      return true;
    });
    CHECK(pieces > 1);
    CHECK(largest < (1 << 20) + 4096);
    int taken = 0;
    report_as(format, sample.data, [&](std::string_view) { return ++taken < 2; });
    CHECK(taken == 2);
    const TempDir dir;
    CHECK_FALSE(write_report_file(dir.file("r"), format, sample.data));
    CHECK(content_of(dir.file("r")) == whole_report(format, sample.data));
  }
}

TEST_CASE("Aggregated reports are written as they are") {
  const auto sample = small_sample();
  CHECK(whole_report(ReportFormat::kCollapsed, sample->data) == collapsed_report(sample->data));
  CHECK(whole_report(ReportFormat::kHtml, sample->data) == html_report(sample->data));
}

TEST_CASE("A report is written whole and replaces the one before") {
  const TempDir dir;
  const std::string path = dir.file("r.txt");
  const std::string large(3'000'000, 'x');
  CHECK_FALSE(write_report_file(path, large));
  CHECK(content_of(path) == large);
  CHECK_FALSE(write_report_file(path, "short"));
  CHECK(content_of(path) == "short");
  CHECK_FALSE(write_report_file(path, ""));
  CHECK(content_of(path).empty());
  CHECK(dir.entries() == std::vector<std::string>{"r.txt"});
}

TEST_CASE("A directory that is not there is named with the reason") {
  const TempDir dir;
  const std::string path = dir.file("missing/r.txt");
  CHECK(write_report_file(path, "x")->message ==
        "cannot write " + path + ": No such file or directory");
}

TEST_CASE("A full disk leaves the former report and no other file") {
  const TempDir dir;
  const std::string path = dir.file("r.txt");
  REQUIRE_FALSE(write_report_file(path, "former"));
  std::optional<Error> problem;
  {
    const SmallDisk disk(100'000);
    problem = write_report_file(path, std::string(1'000'000, 'x'));
  }
  REQUIRE(problem);
  CHECK(problem->message == "cannot write " + path + ": File too large");
  CHECK(content_of(path) == "former");
  CHECK(dir.entries() == std::vector<std::string>{"r.txt"});
}

TEST_CASE("A piece that could not be written is not forgotten when the next one can be") {
  const TempDir dir;
  const std::string path = dir.file("r.txt");
  REQUIRE_FALSE(write_report_file(path, "former"));
  const auto problem = write_report_file(path, [](const ReportSink& sink) {
    {
      const SmallDisk disk(100'000);
      sink(std::string(1'000'000, 'x'));
    }
    sink("the end");  // a writer that did not ask
    return true;
  });
  REQUIRE(problem);
  CHECK(problem->message == "cannot write " + path + ": File too large");
  CHECK(content_of(path) == "former");
}

TEST_CASE("What is not a regular file is not replaced") {
  const TempDir dir;
  fs::create_directory(dir.file("d.txt"));
  CHECK(write_report_file(dir.file("d.txt"), "x")->message ==
        "cannot write " + dir.file("d.txt") + ": it is not a regular file");
  CHECK(write_report_file("/dev/full", "x")->message ==
        "cannot write /dev/full: it is not a regular file");
  CHECK(fs::is_character_file("/dev/full"));
  CHECK(fs::is_directory(dir.file("d.txt")));
}

TEST_CASE("A leftover or a planted link under the temporary name is not written through") {
  const TempDir dir;
  const std::string path = dir.file("r.txt"), victim = dir.file("victim");
  REQUIRE_FALSE(write_report_file(victim, "precious"));
  fs::create_symlink(victim, path + ".tmp-" + std::to_string(getpid()));
  CHECK_FALSE(write_report_file(path, "report"));
  CHECK(content_of(victim) == "precious");
  CHECK(content_of(path) == "report");
  CHECK_FALSE(fs::is_symlink(path));
}

TEST_CASE("Writers of one path take turns") {
  const TempDir dir;
  const std::string path = dir.file("r.txt");
  std::vector<std::string> problems(4);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    writers.emplace_back([&, i] {
      const std::string text(200'000, static_cast<char>('a' + i));
      for (int round = 0; round < 20 && problems[i].empty(); ++round) {
        if (const auto error = write_report_file(path, text)) problems[i] = error->message;
        const std::string seen = content_of(path);
        if (seen.size() != 200'000 || seen.find_first_not_of(seen[0]) != std::string::npos) {
          problems[i] = "half a report";
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(problems == std::vector<std::string>(4));
  CHECK(dir.entries() == std::vector<std::string>{"r.txt"});
}

TEST_CASE("What a killed writer left behind is removed, what another one still writes is not") {
  const TempDir dir;
  const auto leave = [&](const std::string& name) { std::ofstream(dir.file(name)) << "half"; };
  leave("a.txt.tmp-1234567");
  leave("a.txt.tmp-");
  leave("a.txt.tmp-12x");
  leave("b.txt.tmp-1234567");
  leave("a.txt.tmp-7654321");
  const int other = open(dir.file("a.txt.tmp-7654321").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(other >= 0);
  REQUIRE(flock(other, LOCK_EX) == 0);  // a description of its own, as another process has
  CHECK_FALSE(write_report_file(dir.file("a.txt"), "whole"));
  auto entries = dir.entries();
  std::sort(entries.begin(), entries.end());
  CHECK(entries == std::vector<std::string>{"a.txt", "a.txt.tmp-", "a.txt.tmp-12x",
                                            "a.txt.tmp-7654321", "b.txt.tmp-1234567"});
  CHECK(content_of(dir.file("a.txt")) == "whole");
  close(other);
  CHECK_FALSE(write_report_file(dir.file("a.txt"), "again"));
  CHECK_FALSE(fs::exists(dir.file("a.txt.tmp-7654321")));
}

TEST_CASE("Another container's process with the same pid keeps its half of a report") {
  const TempDir dir;
  const std::string path = dir.file("a.txt"), half = path + ".tmp-" + std::to_string(getpid());
  std::ofstream(half) << "half";
  const int other = open(half.c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(other >= 0);
  REQUIRE(flock(other, LOCK_EX) == 0);
  CHECK_FALSE(write_report_file(path, "whole"));
  CHECK(content_of(half) == "half");
  CHECK(content_of(path) == "whole");
  close(other);
}

TEST_CASE("A report for which there is no memory leaves no file and no descriptor") {
  const TempDir dir;
  const int before = dup(0);
  close(before);
  const auto no_memory = [](const ReportSink&) -> bool { throw std::bad_alloc(); };
  CHECK_THROWS_AS(write_report_file(dir.file("a.txt"), no_memory), std::bad_alloc);
  CHECK(dir.entries().empty());
  const int after = dup(0);
  close(after);
  CHECK(after == before);
}

TEST_CASE("A report is written where files belong to another user and have no locks") {
  const TempDir dir;
  std::ofstream(dir.file("a.txt.tmp-1234567")) << "perhaps still being written";
  g_foreign_mount = true;
  const auto failed = write_report_file(dir.file("a.txt"), "text");
  g_foreign_mount = false;
  REQUIRE_FALSE(failed);
  CHECK(content_of(dir.file("a.txt")) == "text");
  std::vector<std::string> entries = dir.entries();
  std::ranges::sort(entries);
  CHECK(entries == std::vector<std::string>{"a.txt", "a.txt.tmp-1234567"});
}

TEST_CASE("A report that is not whole is not put in place") {
  const TempDir dir;
  CHECK_FALSE(write_report_file(dir.file("a.txt"), "before"));
  const auto problem = write_report_file(dir.file("a.txt"), [](const ReportSink& sink) {
    sink("half");
    return false;
  });
  REQUIRE(problem);
  CHECK(problem->message.find("not whole") != std::string::npos);
  CHECK(content_of(dir.file("a.txt")) == "before");
  CHECK(dir.entries().size() == 1);
}
