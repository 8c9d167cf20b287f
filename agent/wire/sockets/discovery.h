// How people and tools find running targets: one small file per process.
//
//   $XDG_RUNTIME_DIR/ddm/PID, else /tmp/ddm-UID/PID        directory 0700, file 0600
//   {"pid":4711,"app":"app.jar","address":"127.0.0.1:40123","dyper":"127.0.0.1:40124","vm":"...",
//    "uid":1000,"start":81234,"pidns":4026531836}         "dyper" with dyper= only
//
// `start` is the process's start time (/proc/PID/stat, field 22): a number that was given to
// another process since is told apart. `pidns` is the pid namespace that the number belongs to:
// containers may share a /tmp. A directory that is a symlink, is not ours or is open to others is
// never used. Any thread; one DiscoveryFile a process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace ddm {

struct Target {
  pid_t pid = 0;
  std::string app;         // UTF-8; bytes that are not become U+FFFD in the file
  std::string address;     // what parse_address() reads: "127.0.0.1:40123", "unix:/run/x"
  std::string dyper = {};  // likewise, where DYPER's documents are served; "" = nowhere
  std::string vm;
  uid_t uid = 0;
  std::uint64_t start = 0;  // clock ticks since boot; filled in by publish(), as the next one
  std::uint64_t pid_namespace = 0;
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

// The targets of this user that are alive, by pid; all users' when called by root. A file counts
// when its process runs, began when it says, in this pid namespace, and belongs to the file's owner
// (or the file to root). Our own files of dead processes of this namespace are removed; all others
// are skipped.
std::vector<Target> list_targets();

// Directories of user `uid`, best first, whether they exist or not.
std::vector<std::string> discovery_directories(uid_t uid);

// None: no such process (or no /proc).
std::optional<std::uint64_t> process_start_time(pid_t pid);

// The effective uid. None: no such process.
std::optional<uid_t> process_owner(pid_t pid);

// The number of this process's pid namespace; 0 on a kernel without any.
std::uint64_t own_pid_namespace();

// Nothing wrong: it is a directory, no symlink, owned by `owner`, mode 0700. Otherwise the words.
std::optional<Error> check_private_directory(const std::string& path, uid_t owner);

}  // namespace ddm
