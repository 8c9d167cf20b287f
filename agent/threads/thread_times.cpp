#include "threads/thread_times.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace ddm {

ThreadTimesReader::ThreadTimesReader()
    : tasks_(open("/proc/self/task", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  const long ticks = sysconf(_SC_CLK_TCK);
  ticks_per_second_ = ticks > 0 ? static_cast<std::uint64_t>(ticks) : 100;
}

ThreadTimes ThreadTimesReader::read(std::uint32_t os_id) const {
  if (os_id == 0 || !tasks_.valid()) return {};
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "%u/stat", os_id);
  const FileDescriptor file(openat(tasks_.get(), path.data(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return {};
  std::array<char, 1024> text{};
  if (::read(file.get(), text.data(), text.size() - 1) <= 0) return {};
  // proc(5): utime and stime are fields 14 and 15. The 2nd, the name in parentheses, may contain
  // anything.
  const char* const name_end = std::strrchr(text.data(), ')');
  if (name_end == nullptr) return {};
  unsigned long long user = 0, system = 0;
  std::sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
  return {static_cast<std::uint32_t>(user * 100 / ticks_per_second_),
          static_cast<std::uint32_t>(system * 100 / ticks_per_second_)};
}

}  // namespace ddm
