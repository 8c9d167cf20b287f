// The threads of a program, from DDM's thread chunks, and the agent's own in a program of this
// machine, which no DDM answer has, from /proc.
#pragma once

#include <sys/types.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ddm_client.h"
#include "wire/chunks/thread_chunks.h"

namespace ddm {

// Threads are shown with Java's thread ids, as in jstack and in reports. A program without this
// agent does not send them; there the id is DDM's.
struct ThreadRow {
  std::int64_t id = 0;
  ThreadStatusTable::Entry status;  // its `id` is DDM's
  std::string name;

  // Of CPU, in hundredths of a second.
  std::uint32_t cpu_ticks() const { return status.user_ticks + status.system_ticks; }
};

// By id. THEN is switched on for the duration of the call. Threads that end meanwhile are left out.
Result<std::vector<ThreadRow>> list_threads(DdmClient& client);

// DDM's id of the thread with this id.
Result<std::uint32_t> wire_id_of(DdmClient& client, std::int64_t id);

// The stack of a thread, or the program's error without DDM's ids.
Result<ThreadStack> stack_of(DdmClient& client, std::int64_t id, std::uint32_t wire_id);

// By its name, as in docs/architecture.md.
bool is_agent_thread(std::string_view name);

struct AgentThreadRow {
  pid_t os_id = 0;
  std::string name;              // as in docs/architecture.md; of others what the system says
  std::int64_t cpu_ticks = 0;    // user and system time
  std::uint64_t start_time = 0;  // another thread may get the id of one that has ended
};

// Of what /proc tells in ticks.
double cpu_seconds(std::int64_t ticks);

// By name. nullopt: there is no such process.
std::optional<std::vector<AgentThreadRow>> agent_threads(pid_t pid);

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
