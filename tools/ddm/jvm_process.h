// A HotSpot JVM of this machine, seen from outside: its owner, its hsperfdata, and whether
// attaching is possible. Everything is read from /proc and may be outdated at once.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace ddm {

class JvmProcess {
 public:
  // The error: no such process, another user's process, or no HotSpot JVM.
  static Result<JvmProcess> find(pid_t pid);

  // All JVMs of this user, or of all users for root, by pid.
  static std::vector<JvmProcess> all();

  // Processes of other users that look like JVMs, and why no more is known about them.
  struct ForeignJvm {
    pid_t pid = 0;
    uid_t owner = 0;
    std::string app, why;
  };
  static std::vector<ForeignJvm> of_other_users();

  pid_t pid() const { return pid_; }
  uid_t owner() const { return owner_; }
  gid_t group() const { return group_; }

  // Its pid in its own pid namespace.
  const std::string& own_pid() const { return own_pid_; }

  // A path as that process sees it.
  std::string path(const std::string& path) const;

  // Where it keeps its attach socket, as it sees it: /tmp, or -XX:AltTempDir of JDK 28.
  const std::string& temp_directory() const { return temp_directory_; }

  // It runs in a container: in another pid, mount, network or user namespace, or another root.
  bool in_container() const;

  // DDM's "vm": "OpenJDK 64-Bit Server VM 17.0.2+8"; "": not in its hsperfdata.
  std::string vm() const;
  // Main class or jar, from its hsperfdata or its command line; embedded VM: the program's name.
  std::string app() const;

  bool has_agent() const { return !loaded_agent_.empty(); }
  // The file that the library was loaded from, by the JVM's path at that time.
  const std::string& loaded_agent() const { return loaded_agent_; }
  // Whether it has a debugger's agent, which may suspend its threads.
  bool has_jdwp_agent() const { return has_jdwp_agent_; }

  // SIGQUIT ends a process that does not catch it, as a JVM that is just starting. (With -Xrs a JVM
  // never does, but listens for attach requests from the start.)
  bool catches_sigquit() const;

  // Whether it has just started, and has yet to catch SIGQUIT or, if it does not publish whether it
  // accepts attach requests, to be there long enough for them.
  bool is_starting() const;

  // "": SIGQUIT makes it listen for attach requests. Else why it may print a thread dump instead:
  // "accepts no attach requests: ...". What its hsperfdata has decides; without one, which a JVM
  // whose user has no name does not have, its threads and the options that it was started with.
  std::string attach_obstacle() const;

 private:
  JvmProcess(pid_t pid, uid_t owner) : pid_(pid), owner_(owner) {}
  void read_maps();
  std::string seen_inside(std::string path) const;
  std::string signal_thread_obstacle() const;
  std::string options_obstacle() const;
  std::string obstacle_among(const std::vector<std::string>& words, const std::string& where,
                             bool of_launcher, int& files_left) const;
  Result<std::string> options_file(const std::string& name) const;
  std::string jcmd_hint() const;
  std::string status_field(const std::string& name) const;
  std::optional<std::string> published(const char* name) const;

  pid_t pid_;
  uid_t owner_;
  gid_t group_ = 0;
  std::string own_pid_;
  std::string root_;  // with which paths in /proc/PID/maps begin; "/": not changed by chroot(2)
  std::string perf_data_;  // the file's bytes
  std::string temp_directory_ = "/tmp";
  bool is_jvm_ = false;
  std::string loaded_agent_;
  bool has_jdwp_agent_ = false;
};

// "OpenJDK 64-Bit Server VM 17.0.2+8-Debian" -> "OpenJDK 17.0.2+8"; any other text stays.
std::string short_vm(std::string_view vm);

// "OpenJDK 64-Bit Server VM 17.0.21+9", "... v17.0.21": 17. That of another VM is not known: 0.
int jdk_of(std::string_view vm);

// "uid 1000 (anna)", or without the name if it has none.
std::string user_text(uid_t uid);

}  // namespace ddm
