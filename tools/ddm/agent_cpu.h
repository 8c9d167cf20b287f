// The CPU time of the agent's own threads in a program, which never falls: what threads used that
// have ended stays part of it. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ddm {

class AgentCpu {
 public:
  // By id and start time, as another thread may get the id of one that has ended: ticks.
  using Threads = std::map<std::pair<pid_t, std::uint64_t>, std::int64_t>;

  // Seconds; none: there is no such process.
  std::optional<double> read(pid_t pid);
  // The ticks so far, with those of the threads that are there now.
  std::int64_t total_with(Threads living);

 private:
  Threads last_;
  std::int64_t ended_ = 0;  // ticks, as of the last reading of each
};

}  // namespace ddm
