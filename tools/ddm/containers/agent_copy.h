// The agent's library where a JVM can load it from: as it is, where the JVM sees the same file, else
// a copy in a directory of its own below the JVM's root, private to the JVM's user. It is removed when
// this ends: what is loaded stays loaded.
#pragma once

#include <string>

#include "core/result.h"
#include "jvm_process.h"

namespace ddm {

class AgentCopy {
 public:
  // The error says what is in the way of each place that was tried, and what helps.
  static Result<AgentCopy> make(const JvmProcess& jvm, const std::string& library);

  AgentCopy(AgentCopy&& other) noexcept;
  AgentCopy& operator=(AgentCopy&&) = delete;
  ~AgentCopy();

  const std::string& path() const { return path_; }  // as the JVM sees it

 private:
  AgentCopy(pid_t pid, std::string path) : pid_(pid), path_(std::move(path)) {}

  pid_t pid_;
  std::string path_;
  std::string directory_;  // to be removed with it; "": it is no copy
};

}  // namespace ddm
