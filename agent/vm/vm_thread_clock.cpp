#include "vm/vm_thread_clock.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

#include "core/clocks.h"

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

std::int64_t VmThreadClock::now_ns() const {
  if (os_id_ == 0) return 0;
  return std::max<std::int64_t>(cpu_of_thread_ns(os_id_), 0);
}

}  // namespace ddm
