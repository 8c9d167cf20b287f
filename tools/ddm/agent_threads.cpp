#include "agent_threads.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "core/proc_stat.h"
#include "core/whole_text.h"

namespace ddm {
namespace {

constexpr std::size_t kKept = 15, kHead = 7, kTail = 6;

// Those that are longer than what the system keeps.
constexpr std::array kLongNames = {"ddmagent-sampler", "ddmagent-reports", "ddmagent-requested",
                                   "ddmagent-classes", "ddmagent-dypatch"};

}  // namespace

std::string agent_thread_name(std::string_view comm) {
  for (const std::string_view name : kLongNames) {
    const std::string ends =
        fmt::format("{}..{}", name.substr(0, kHead), name.substr(name.size() - kTail));
    if (comm == name.substr(0, kKept) || comm == ends) return std::string(name);
  }
  return std::string(comm);
}

std::optional<std::vector<AgentThreadRow>> agent_threads(pid_t pid) {
  const std::string tasks = fmt::format("/proc/{}/task", pid);
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(tasks.c_str()), closedir);
  if (!stream) return {};
  std::vector<AgentThreadRow> rows;
  while (const dirent* entry = readdir(stream.get())) {
    const auto id = number_in<pid_t>(entry->d_name);
    if (!id) continue;
    const auto thread = read_proc_stat(tasks + "/" + entry->d_name + "/stat");
    if (!thread) continue;
    std::string name = agent_thread_name(thread->name);
    if (!name.starts_with("ddm-") && !name.starts_with("ddmagent")) continue;
    rows.push_back({*id, std::move(name), thread->cpu_ticks, thread->start_time});
  }
  std::ranges::sort(rows, {}, &AgentThreadRow::name);
  return rows;
}

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
