// The process of a target, where it is one of this machine.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>

namespace ddm {

class TargetProcess {
 public:
  TargetProcess() = default;
  explicit TargetProcess(pid_t pid);

  pid_t pid() const { return pid_; }  // 0: not known

  // Both false where it is not known. A zombie has ended.
  bool has_ended() const;
  // An interrupt ends the wait, but for one that came before: a terminal's Ctrl-C may end the program
  // as well.
  bool ends_within(std::chrono::seconds time) const;

 private:
  pid_t pid_ = 0;
  std::uint64_t start_time_ = 0;
};

}  // namespace ddm
