// /proc/PID/stat and /proc/PID/task/TID/stat (proc(5)). Any thread. A tick is 1/100 s, on x86-64 and
// AArch64.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ddm {

struct ProcStat {
  std::string name;
  char state = 0;                // R, S, D, Z, T (stopped), t (by a debugger), ...
  std::int64_t user_ticks = 0;   // user time: the 14th word
  std::int64_t cpu_ticks = 0;    // user and system time: with the 15th word
  std::uint64_t start_time = 0;  // the 22nd word, in ticks since the machine was started
};

// None: there is no such process or thread any more.
std::optional<ProcStat> read_proc_stat(const std::string& path);

}  // namespace ddm
