#include "threads/thread_times.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace ddm {
namespace {

// proc(5): utime and stime are fields 14 and 15. The name in parentheses may contain anything; the
// field after it is the 3rd.
constexpr int kFieldsBehindNameBeforeTimes = 11;

std::uint64_t take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty()) text.remove_prefix(1);
  return error == std::errc() ? number : 0;
}

}  // namespace

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
  std::array<char, 1024> buffer;
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size <= 0) return {};
  std::string_view text(buffer.data(), static_cast<std::size_t>(size));
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return {};
  text.remove_prefix(name_end + 2);
  for (int i = 0; i < kFieldsBehindNameBeforeTimes; ++i) {
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos) return {};
    text.remove_prefix(space + 1);
  }
  const auto ticks = [&] {
    return static_cast<std::uint32_t>(take_number(text) * 100 / ticks_per_second_);
  };
  ThreadTimes times;
  times.user = ticks();
  times.system = ticks();
  return times;
}

}  // namespace ddm
