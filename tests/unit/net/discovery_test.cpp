#include "wire/sockets/discovery.h"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "core/file_descriptor.h"
#include "core/proc_stat.h"
#include "temporary_directory.h"

namespace fs = std::filesystem;
using ddm::DiscoveryFile;
using ddm::Target;

namespace {

// XDG_RUNTIME_DIR set to a directory of the test's own.
class RuntimeDirectory {
 public:
  RuntimeDirectory() { setenv("XDG_RUNTIME_DIR", directory_.path().c_str(), 1); }
  ~RuntimeDirectory() { unsetenv("XDG_RUNTIME_DIR"); }
  std::string file(pid_t pid) const { return directory_ / ("ddm/" + std::to_string(pid)); }
  std::string operator/(const std::string& name) const { return directory_ / name; }

 private:
  ddm::TemporaryDirectory directory_;
};

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::optional<Target> listed(pid_t pid) {
  for (const Target& target : ddm::list_targets()) {
    if (target.pid == pid) return target;
  }
  return {};
}

std::string claim(std::uint64_t start, std::uint64_t pid_namespace) {
  return R"({"address":"127.0.0.1:1","start":)" + std::to_string(start) + R"(,"pidns":)" +
         std::to_string(pid_namespace) + "}";
}

Target sample() {
  return {.app = "app.jar", .address = "127.0.0.1:1", .dyper = "unix:/d", .vm = "HotSpot v17"};
}

// The pid of a process that has ended and was waited for.
pid_t dead_pid() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  return child;
}

}  // namespace

TEST_CASE("a file without a size is read whole and one that cannot be read is an error") {
  const auto cpus = ddm::file_text("/proc/cpuinfo");
  REQUIRE(cpus);
  CHECK(cpus->size() > 100);
  CHECK(cpus->starts_with("processor"));
  // A directory can be opened; read() fails, as for a process that ends in between.
  const auto directory = ddm::file_text("/");
  REQUIRE_FALSE(directory);
  CHECK(directory.message() == "Is a directory");
  CHECK(ddm::file_text("/proc/0/stat").message() == "No such file or directory");
}

TEST_CASE("a thread's figures are read whatever it is called") {
  char former[16];
  prctl(PR_GET_NAME, former);
  prctl(PR_SET_NAME, "a) (b\n 1) S");
  const auto stat = ddm::read_proc_stat("/proc/thread-self/stat");
  prctl(PR_SET_NAME, former);
  REQUIRE(stat);
  CHECK(stat->name == "a) (b\n 1) S");
  CHECK(stat->start_time >= ddm::process_start_time(getpid()).value());
  CHECK(stat->user_ticks >= 0);
  CHECK(stat->cpu_ticks >= stat->user_ticks);
  CHECK_FALSE(ddm::read_proc_stat("/proc/uptime"));
}

TEST_CASE("A published target is listed, and gone with its file") {
  const RuntimeDirectory runtime;
  {
    const auto file = DiscoveryFile::publish(sample());
    REQUIRE(file);
    CHECK(file->path() == runtime.file(getpid()));
    const auto target = listed(getpid());
    REQUIRE(target);
    CHECK(target->app == "app.jar");
    CHECK(target->address == "127.0.0.1:1");
    CHECK(target->vm == "HotSpot v17");
    CHECK(target->dyper == "unix:/d");
    CHECK(target->uid == geteuid());
    CHECK(target->start == *ddm::process_start_time(getpid()));
  }
  CHECK_FALSE(listed(getpid()));
  CHECK_FALSE(fs::exists(runtime.file(getpid())));
}

TEST_CASE("A target that serves DYPER alone is published and not listed") {
  const RuntimeDirectory runtime;
  Target target = sample();
  target.address = "none";
  const auto file = DiscoveryFile::publish(target);
  REQUIRE(file);
  CHECK_FALSE(listed(getpid()));
  const std::vector<Target> published = ddm::published_targets();
  const auto found = std::ranges::find(published, getpid(), &Target::pid);
  REQUIRE(found != published.end());
  CHECK(found->dyper == "unix:/d");
}

TEST_CASE("The file is one JSON object, readable by its owner alone") {
  const RuntimeDirectory runtime;
  Target target = sample();
  target.app = "a \"b\" \\ \n \xff \xc3\xa4";
  const auto file = DiscoveryFile::publish(target);
  REQUIRE(file);
  const auto json = nlohmann::json::parse(content(file->path()));
  CHECK(json["pid"] == getpid());
  CHECK(json["uid"] == geteuid());
  CHECK(json["app"] == "a \"b\" \\ \n \xef\xbf\xbd \xc3\xa4");
  struct stat status {};
  REQUIRE(stat(file->path().c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  REQUIRE(stat((runtime / "ddm").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
}

TEST_CASE("A new application name replaces the old one") {
  const RuntimeDirectory runtime;
  auto file = DiscoveryFile::publish(sample());
  REQUIRE(file);
  REQUIRE_FALSE(file->rename_app("other.jar"));
  CHECK(listed(getpid())->app == "other.jar");
}

TEST_CASE("Files of dead processes and of reused pids are pruned") {
  const RuntimeDirectory runtime;
  REQUIRE(DiscoveryFile::publish(sample()).ok());  // makes the directory
  const pid_t dead = dead_pid();
  std::ofstream(runtime.file(dead)) << claim(1, ddm::own_pid_namespace());
  std::ofstream(runtime.file(getpid())) << claim(1, ddm::own_pid_namespace());
  CHECK_FALSE(listed(dead));
  CHECK_FALSE(listed(getpid()));
  CHECK_FALSE(fs::exists(runtime.file(dead)));
  CHECK_FALSE(fs::exists(runtime.file(getpid())));
}

TEST_CASE("A file that does not say when its process began is not believed") {
  const RuntimeDirectory runtime;
  REQUIRE(DiscoveryFile::publish(sample()).ok());
  std::ofstream(runtime.file(getpid())) << claim(0, ddm::own_pid_namespace());
  CHECK_FALSE(listed(getpid()));
}

TEST_CASE("Files of another pid namespace are skipped and kept") {
  const RuntimeDirectory runtime;
  REQUIRE(DiscoveryFile::publish(sample()).ok());
  const pid_t dead = dead_pid();
  for (const pid_t pid : {dead, getpid()}) {
    std::ofstream(runtime.file(pid)) << claim(*ddm::process_start_time(getpid()), 1);
    CHECK_FALSE(listed(pid));
    CHECK(fs::exists(runtime.file(pid)));
  }
}

TEST_CASE("Nobody but root speaks for another user's process") {
  if (geteuid() != 0) {
    WARN("not root: left out");
    return;
  }
  constexpr uid_t kStranger = 64123;
  const std::string directory = "/tmp/ddm-" + std::to_string(kStranger);
  fs::remove_all(directory);
  fs::create_directory(directory);
  fs::permissions(directory, fs::perms(0700));
  const std::string path = directory + "/" + std::to_string(getpid());
  std::ofstream(path) << claim(*ddm::process_start_time(getpid()), ddm::own_pid_namespace());
  REQUIRE(chown(path.c_str(), kStranger, kStranger) == 0);
  REQUIRE(chown(directory.c_str(), kStranger, kStranger) == 0);
  unsetenv("XDG_RUNTIME_DIR");
  CHECK_FALSE(listed(getpid()));

  // A process of the stranger's own counts.
  int go[2];
  REQUIRE(pipe(go) == 0);
  const pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    char byte = 0;
    _exit(setuid(kStranger) == 0 && read(go[0], &byte, 1) == 0 ? 0 : 1);
  }
  while (ddm::process_owner(child) != kStranger) std::this_thread::yield();
  const std::string theirs = directory + "/" + std::to_string(child);
  std::ofstream(theirs) << claim(*ddm::process_start_time(child), ddm::own_pid_namespace());
  REQUIRE(chown(theirs.c_str(), kStranger, kStranger) == 0);
  CHECK(listed(child));
  close(go[0]);
  close(go[1]);
  waitpid(child, nullptr, 0);
  fs::remove_all(directory);
}

TEST_CASE("Files that are no targets are skipped and kept") {
  const RuntimeDirectory runtime;
  REQUIRE(DiscoveryFile::publish(sample()).ok());
  for (const char* text : {"", "{", "[]", "{\"pid\":1}", "{\"address\":7}", "\xff\xfe"}) {
    std::ofstream(runtime.file(getpid())) << text;
    CHECK_FALSE(listed(getpid()));
    CHECK(fs::exists(runtime.file(getpid())));
  }
  std::ofstream(runtime / "ddm/notes.txt") << "hello";
  ddm::list_targets();
  CHECK(fs::exists(runtime / "ddm/notes.txt"));
}

TEST_CASE("A directory that is a symlink, open to others or a file is never used") {
  const RuntimeDirectory runtime;
  const std::string directory = runtime / "ddm";
  fs::create_directory(runtime / "elsewhere");
  SECTION("symlink") {
    fs::create_directory_symlink(runtime / "elsewhere", directory);
    CHECK(ddm::check_private_directory(directory, geteuid()));
  }
  SECTION("open to others") {
    fs::create_directory(directory);
    fs::permissions(directory, fs::perms(0755));
    CHECK(ddm::check_private_directory(directory, geteuid())->message.find("0700") !=
          std::string::npos);
  }
  SECTION("a file") {
    std::ofstream(directory) << "x";
    CHECK(ddm::check_private_directory(directory, geteuid()));
  }
  SECTION("somebody else's") {
    if (geteuid() == 0) {
      fs::create_directory(directory);
      fs::permissions(directory, fs::perms(0700));
      REQUIRE(chown(directory.c_str(), 65534, 65534) == 0);
      CHECK(ddm::check_private_directory(directory, geteuid()));
    } else {
      fs::create_directory_symlink("/", directory);
    }
  }
  const auto file = DiscoveryFile::publish(sample());
  REQUIRE(file);  // in /tmp/ddm-UID instead
  CHECK(file->path() == "/tmp/ddm-" + std::to_string(geteuid()) + "/" + std::to_string(getpid()));
  CHECK(fs::is_empty(runtime / "elsewhere"));
  CHECK(listed(getpid()));
}

TEST_CASE("Without a runtime directory the file goes to /tmp") {
  unsetenv("XDG_RUNTIME_DIR");
  const auto file = DiscoveryFile::publish(sample());
  REQUIRE(file);
  CHECK(file->path() == "/tmp/ddm-" + std::to_string(geteuid()) + "/" + std::to_string(getpid()));
  CHECK(listed(getpid()));
}

TEST_CASE("A forked child does not remove its parent's file") {
  const RuntimeDirectory runtime;
  auto file = DiscoveryFile::publish(sample());
  REQUIRE(file);
  const pid_t child = fork();
  if (child == 0) {
    { const DiscoveryFile mine = std::move(*file); }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  CHECK(fs::exists(file->path()));
}

TEST_CASE("A process's start time tells processes apart") {
  CHECK(ddm::process_start_time(getpid()).value_or(0) > 0);
  CHECK(ddm::process_start_time(getpid()) == ddm::process_start_time(getpid()));
  CHECK_FALSE(ddm::process_start_time(dead_pid()));
}
