// The agent's library at a path that a JVM can load: the original, if the JVM sees the same file,
// otherwise a copy below the JVM's root, in a new directory that is private to the JVM's user. The
// destructor removes the copy; a loaded library stays loaded.
#pragma once

#include <string>

#include "core/result.h"
#include "jvm_process.h"

namespace ddm {

class AgentCopy {
 public:
  // The error tells for each place tried why it failed, and the remedy.
  static Result<AgentCopy> make(const JvmProcess& jvm, const std::string& library);

  AgentCopy(AgentCopy&& other) noexcept;
  AgentCopy& operator=(AgentCopy&&) = delete;
  ~AgentCopy();

  const std::string& path() const { return path_; }  // as the JVM sees it

 private:
  AgentCopy(pid_t pid, std::string path) : pid_(pid), path_(std::move(path)) {}

  pid_t pid_;
  std::string path_;
  std::string directory_;  // the copy's, to be removed; "": no copy
};

}  // namespace ddm
