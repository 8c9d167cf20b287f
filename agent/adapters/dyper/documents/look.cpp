#include "adapters/dyper/documents/look.h"

#include <chrono>

namespace ddm {

std::int64_t epoch_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

std::string_view state_name(ThreadDoing doing) {
  switch (doing) {
    case ThreadDoing::kNew:
      return "NEW";
    case ThreadDoing::kRunnable:
      return "RUNNABLE";
    case ThreadDoing::kBlocked:
      return "BLOCKED";
    case ThreadDoing::kWaiting:
      return "WAITING";
    case ThreadDoing::kTimedWaiting:
    case ThreadDoing::kSleeping:
      return "TIMED_WAITING";
    case ThreadDoing::kTerminated:
      break;
  }
  return "TERMINATED";
}

}  // namespace ddm
