// The agent's own threads in a program of this machine, which no DDM answer has, from /proc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

}  // namespace ddm
