#include "agent_cpu.h"

#include <unistd.h>

#include "agent_threads.h"

namespace ddm {

std::optional<double> AgentCpu::read(pid_t pid) {
  const auto threads = agent_threads(pid);
  if (!threads) return {};
  Threads living;
  for (const AgentThreadRow& thread : *threads) {
    living[{thread.os_id, thread.start_time}] = thread.cpu_ticks;
  }
  return static_cast<double>(total_with(std::move(living))) /
         static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::int64_t AgentCpu::total_with(Threads living) {
  for (const auto& [thread, ticks] : last_) {
    if (!living.contains(thread)) ended_ += ticks;
  }
  last_ = std::move(living);
  std::int64_t total = ended_;
  for (const auto& [thread, ticks] : last_) total += ticks;
  return total;
}

}  // namespace ddm
