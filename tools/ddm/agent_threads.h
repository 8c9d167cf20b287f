// The agent's own threads in a program of this machine, which no DDM answer has, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddm {

struct AgentThreadRow {
  pid_t os_id = 0;
  std::string name;              // as in docs/architecture.md; of others what the system says
  std::int64_t cpu_ticks = 0;    // user and system time
  std::uint64_t start_time = 0;  // another thread may get the id of one that has ended
};

// By name. nullopt: there is no such process.
std::optional<std::vector<AgentThreadRow>> agent_threads(pid_t pid);

// Of the 15 letters that the system keeps of a thread's name: the first, or from JDK 26 on both ends
// around two dots.
std::string agent_thread_name(std::string_view comm);

// The CPU time of these threads, which never falls: what threads used that have ended stays part of
// it. One thread.
class AgentCpu {
 public:
  // By id and start time: ticks.
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
