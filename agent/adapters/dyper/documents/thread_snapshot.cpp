#include "adapters/dyper/documents/thread_snapshot.h"

namespace ddm {

std::string_view state_name(ThreadActivity activity) {
  constexpr std::string_view kNames[] = {"NEW",           "RUNNABLE",      "BLOCKED",   "WAITING",
                                         "TIMED_WAITING", "TIMED_WAITING", "TERMINATED"};
  return kNames[static_cast<std::size_t>(activity)];
}

}  // namespace ddm
