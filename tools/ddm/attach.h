// HotSpot's attach protocol: makes a running JVM load an agent; needs no JDK.
//
//   A JVM that finds the file .attach_pidN in its directory or in /tmp when it gets SIGQUIT opens
//   the Unix socket /tmp/.java_pidN. There it takes one request a connection, version "1":
//   "1\0load\0LIBRARY\0true\0OPTIONS\0" (true: the path is absolute), and answers a number, a
//   newline and text. N is the pid as the JVM itself sees it, /tmp is that of its mount namespace,
//   or from JDK 28 on -XX:AltTempDir.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_descriptor.h"
#include "core/result.h"
#include "jvm_process.h"

namespace ddm {

// The agent to load: `given`, or if that is "", the one in ../lib of this executable.
Result<std::string> agent_path(const std::string& given);

// How the error begins if the agent itself has refused, with a reason that it logs.
inline constexpr std::string_view kAgentRefused = "the agent refused the load";

// Loads the agent and waits until it has started, or until interrupted(): it catches interrupts from
// then on. The error quotes the JVM's answer.
std::optional<Error> load_agent(const JvmProcess& jvm, const std::string& library,
                                const std::string& options);

// How many objects of each class are held, by name.
struct ClassHistogram {
  std::map<std::string, std::int64_t> counts;
  bool collected = false;  // the VM has run a full collection for it
};
Result<ClassHistogram> class_histogram(const JvmProcess& jvm);

// The file that makes a JVM which gets SIGQUIT listen.
class TriggerFile {
 public:
  // In the first of these directories where it can be made for this owner: the JVM accepts a file of
  // its own user or of root; else it prints a thread dump.
  TriggerFile(std::initializer_list<std::string> directories, const std::string& name, uid_t owner,
              gid_t group);
  ~TriggerFile();
  TriggerFile(const TriggerFile&) = delete;
  TriggerFile& operator=(const TriggerFile&) = delete;
  const std::optional<Error>& error() const { return error_; }
  // The JVM has yet to read it.
  void leave() { directory_.reset(); }

 private:
  const std::string name_;
  FileDescriptor directory_;  // of the file that this has made: a path through a JVM ends with it
  std::optional<Error> error_;
};

}  // namespace ddm
