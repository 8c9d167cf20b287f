#include "target_process.h"

#include <fmt/format.h>

#include <optional>
#include <thread>

#include "core/proc_stat.h"
#include "interrupt.h"

namespace ddm {
namespace {

std::optional<ProcStat> stat_of_process(pid_t pid) {
  return read_proc_stat(fmt::format("/proc/{}/stat", pid));
}

}  // namespace

TargetProcess::TargetProcess(pid_t pid) {
  const auto stat = pid > 0 ? stat_of_process(pid) : std::nullopt;
  if (!stat) return;
  pid_ = pid;
  start_time_ = stat->start_time;
}

bool TargetProcess::has_ended() const {
  if (pid_ == 0) return false;
  const auto stat = stat_of_process(pid_);
  return !stat || stat->start_time != start_time_ || stat->state == 'Z' || stat->state == 'X';
}

bool TargetProcess::ends_within(std::chrono::seconds time) const {
  if (pid_ == 0) return false;
  const bool interrupted_before = interrupted();
  const auto limit = std::chrono::steady_clock::now() + time;
  while (!has_ended()) {
    if (std::chrono::steady_clock::now() >= limit) return false;
    if (interrupted() && !interrupted_before) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

}  // namespace ddm
