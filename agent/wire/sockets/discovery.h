// Discovery of running targets by people and tools: one small file per process.
//
//   $XDG_RUNTIME_DIR/ddm/PID, else /tmp/ddm-UID/PID        directory 0700, file 0600
//   {"pid":4711,"app":"app.jar","address":"127.0.0.1:40123","dyper":"127.0.0.1:40124","vm":"...",
//    "uid":1000,"start":81234,"pidns":4026531836}         "dyper" with dyper= only
//
// `start` is the process's start time (/proc/PID/stat, field 22), which detects a reused pid.
// `pidns` is the pid namespace that the pid belongs to, since containers may share a /tmp. A
// directory that is a symlink, has another owner or is accessible to others is never used. Any
// thread; one DiscoveryFile per process.
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
  std::string app;      // UTF-8; malformed bytes become U+FFFD in the file
  std::string address;  // in the form of parse_address(): "127.0.0.1:40123", "unix:/run/x"
  std::string dyper =
      {};  // the same of the DYPER server; "": none. With it `address` may be "none"
  std::string vm;
  uid_t uid = 0;
  std::uint64_t start = 0;  // clock ticks since boot; set by publish(), like the next one
  std::uint64_t pid_namespace = 0;

  bool listens() const { return address != "none"; }
};

class DiscoveryFile {
 public:
  // Writes the file of this process; pid, uid and start are read from the system.
  static Result<DiscoveryFile> publish(Target target);

  DiscoveryFile(DiscoveryFile&& other) noexcept;
  DiscoveryFile& operator=(DiscoveryFile&&) = delete;
  ~DiscoveryFile();  // removes the file, except in a forked child

  const std::string& path() const { return path_; }

  // The application's name has become known, or changed.
  std::optional<Error> rename_app(std::string app);

 private:
  DiscoveryFile(std::string path, Target target);

  std::string path_;
  Target target_;
};

// The live targets of this user, by pid; of all users when called by root. A file is valid if its
// process runs, with the recorded start time, in this pid namespace, and belongs to the file's
// owner (or root owns the file). The user's own files of dead processes of this namespace are
// removed; other invalid files are skipped.
std::vector<Target> published_targets();

// Those of them that listen.
std::vector<Target> list_targets();

// The target that a process of another pid or mount namespace has published there, with its pid in
// this namespace. nullopt: none, or one that does not belong to it.
std::optional<Target> published_inside(pid_t pid, pid_t own_pid);

// Directories of user `uid`, preferred first, existing or not.
std::vector<std::string> discovery_directories(uid_t uid);

// nullopt: no such process (or no /proc).
std::optional<std::uint64_t> process_start_time(pid_t pid);

// The effective uid. nullopt: no such process.
std::optional<uid_t> process_owner(pid_t pid);

// The inode number of this process's pid namespace; 0 if the kernel has none.
std::uint64_t own_pid_namespace();

// nullopt: a directory, no symlink, owned by `owner`, mode 0700. Otherwise what is wrong.
std::optional<Error> check_private_directory(const std::string& path, uid_t owner);

}  // namespace ddm
