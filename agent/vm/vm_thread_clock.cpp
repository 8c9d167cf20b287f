#include "vm/vm_thread_clock.h"

#include <time.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

namespace ddm {

VmThreadClock::VmThreadClock() {
  std::error_code none;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name != "VM Thread") continue;
    const std::string number = task.path().filename();
    std::from_chars(number.data(), number.data() + number.size(), os_id_);
    return;
  }
}

// The kernel's clock id for a thread, as pthread_getcpuclockid() computes it.
std::int64_t VmThreadClock::now_ns() const {
  if (os_id_ == 0) return 0;
  constexpr clockid_t kCpuOfThread = 6;
  timespec now{};
  if (clock_gettime(static_cast<clockid_t>((~os_id_ << 3) | kCpuOfThread), &now) != 0) return 0;
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace ddm
