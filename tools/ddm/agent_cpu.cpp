#include "agent_cpu.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/proc_stat.h"
#include "core/whole_text.h"

namespace ddm {

std::optional<double> AgentCpu::read(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(tasks.c_str()), closedir);
  if (!stream) return {};
  Threads living;
  while (const dirent* entry = readdir(stream.get())) {
    const auto id = number_in<pid_t>(entry->d_name);
    if (!id) continue;
    const auto thread = read_proc_stat(tasks + "/" + entry->d_name + "/stat");
    const bool of_agent =
        thread && (thread->name.starts_with("ddm-") || thread->name.starts_with("ddmagent"));
    if (of_agent) living[{*id, thread->start_time}] = thread->cpu_ticks;
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
