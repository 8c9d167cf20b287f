// How people and tools find running targets: one small file per process.
//
//   $XDG_RUNTIME_DIR/ddm/PID, else /tmp/ddm-UID/PID        directory 0700, file 0600
//   {"pid":4711,"app":"app.jar","address":"127.0.0.1:40123","vm":"...","uid":1000,"start":81234}
//
// `start` is the process's start time (/proc/PID/stat, field 22): a number that was given to
// another process since is told apart. A directory that is a symlink, is not ours or is open to
// others is never used. Any thread; one DiscoveryFile a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ddm/result.h"

namespace ddm {

struct Target {
  pid_t pid = 0;
  std::string app;      // UTF-8; bytes that are not become U+FFFD in the file
  std::string address;  // what parse_address() reads: "127.0.0.1:40123", "unix:/run/x"
  std::string vm;
  uid_t uid = 0;
  std::uint64_t start = 0;  // clock ticks since boot; filled in by publish()
};

class DiscoveryFile {
 public:
  // Writes the file of this process; pid, uid and start are taken from the system.
  static Result<DiscoveryFile> publish(Target target);

  DiscoveryFile(DiscoveryFile&& other) noexcept;
  DiscoveryFile& operator=(DiscoveryFile&&) = delete;
  ~DiscoveryFile();  // removes the file; never in a forked child

  const std::string& path() const { return path_; }

  // The application's name became known, or changed.
  std::optional<Error> rename_app(std::string app);

 private:
  DiscoveryFile(std::string path, Target target);

  std::string path_;
  Target target_;
};

// The targets of this user that are alive, by pid; all users' when called by root. Our own files
// of dead processes are removed, and files that are no valid JSON are skipped.
std::vector<Target> list_targets();

// Directories of user `uid`, best first, whether they exist or not.
std::vector<std::string> discovery_directories(uid_t uid);

// None: no such process (or no /proc).
std::optional<std::uint64_t> process_start_time(pid_t pid);

// Nothing wrong: it is a directory, no symlink, owned by `owner`, mode 0700. Otherwise the words.
std::optional<Error> check_private_directory(const std::string& path, uid_t owner);

}  // namespace ddm
