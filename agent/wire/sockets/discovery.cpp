#include "wire/sockets/discovery.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "core/file_descriptor.h"
#include "core/jvm_text.h"
#include "core/proc_stat.h"

namespace ddm {
namespace {

std::string json_string(std::string_view text) {
  std::string result;
  append_json_string(result, text);
  return result;
}

std::string to_json(const Target& target) {
  const std::string dyper = target.dyper.empty() ? "" : R"(,"dyper":)" + json_string(target.dyper);
  return fmt::format(
      R"({{"pid":{},"app":{},"address":{}{},"vm":{},"uid":{},"start":{},"pidns":{}}})"
      "\n",
      target.pid, json_string(target.app), json_string(target.address), dyper,
      json_string(target.vm), target.uid, target.start, target.pid_namespace);
}

// Written to a temporary file and renamed: a reader sees the old or the new content, never a part.
std::optional<Error> write_atomically(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".new";
  unlink(temporary.c_str());  // left by a process that died here; O_EXCL refuses a replacement
  FileDescriptor fd(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                         S_IRUSR | S_IWUSR));
  if (!fd.valid()) return errno_error("cannot create " + temporary);
  std::optional<Error> failed;
  if (const int error = write_all(fd.get(), text); error != 0) {
    failed = Error{"cannot write " + temporary + ": " + errno_text(error)};
  } else if (rename(temporary.c_str(), path.c_str()) != 0) {
    failed = errno_error("cannot rename " + temporary);
  }
  if (failed) unlink(temporary.c_str());
  return failed;
}

std::optional<Error> make_private_directory(const std::string& path) {
  if (mkdir(path.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    return errno_error("cannot create " + path);
  }
  return check_private_directory(path, geteuid());
}

// $XDG_RUNTIME_DIR/ddm; "": there is none.
std::string runtime_directory() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && runtime[0] == '/' ? runtime + std::string("/ddm") : "";
}

std::string temporary_directory(uid_t uid) { return "/tmp/ddm-" + std::to_string(uid); }

}  // namespace

std::optional<Error> check_private_directory(const std::string& path, uid_t owner) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return errno_error(path);
  if (!S_ISDIR(status.st_mode)) return Error{path + " is not a directory"};
  if (status.st_uid != owner) {
    return Error{path + " belongs to uid " + std::to_string(status.st_uid) + ", not to uid " +
                 std::to_string(owner)};
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return Error{path + " is open to other users; its mode must be 0700"};
  }
  return {};
}

std::vector<std::string> discovery_directories(uid_t uid) {
  const std::string usual = "/run/user/" + std::to_string(uid) + "/ddm";
  const std::string runtime = uid == geteuid() ? runtime_directory() : "";
  std::vector<std::string> result{usual, temporary_directory(uid)};
  if (!runtime.empty() && runtime != usual) result.insert(result.begin(), runtime);
  return result;
}

std::optional<std::uint64_t> process_start_time(pid_t pid) {
  const auto stat = read_proc_stat("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return {};
  return stat->start_time;
}

std::optional<uid_t> process_owner(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    unsigned real = 0;
    unsigned effective = 0;
    if (std::sscanf(line.c_str(), "Uid: %u %u", &real, &effective) == 2) return effective;
  }
  return {};
}

std::uint64_t own_pid_namespace() {
  struct stat status {};
  return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

DiscoveryFile::DiscoveryFile(std::string path, Target target)
    : path_(std::move(path)), target_(std::move(target)) {}

DiscoveryFile::DiscoveryFile(DiscoveryFile&& other) noexcept
    : path_(std::exchange(other.path_, {})), target_(std::move(other.target_)) {}

DiscoveryFile::~DiscoveryFile() {
  if (!path_.empty() && target_.pid == getpid()) unlink(path_.c_str());
}

Result<DiscoveryFile> DiscoveryFile::publish(Target target) {
  target.pid = getpid();
  target.uid = geteuid();
  target.start = process_start_time(target.pid).value_or(0);
  target.pid_namespace = own_pid_namespace();
  std::optional<Error> failed;
  for (const std::string& directory : {runtime_directory(), temporary_directory(target.uid)}) {
    if (directory.empty()) continue;
    std::string path = directory + "/" + std::to_string(target.pid);
    failed = make_private_directory(directory);
    if (!failed) failed = write_atomically(path, to_json(target));
    if (!failed) return DiscoveryFile(std::move(path), std::move(target));
  }
  return *failed;
}

std::optional<Error> DiscoveryFile::rename_app(std::string app) {
  target_.app = std::move(app);
  return write_atomically(path_, to_json(target_));
}

}  // namespace ddm
