#include "adapters/dyper/documents/look.h"

namespace ddm {

std::string_view state_name(ThreadDoing doing) {
  constexpr std::string_view kNames[] = {"NEW",           "RUNNABLE",      "BLOCKED",   "WAITING",
                                         "TIMED_WAITING", "TIMED_WAITING", "TERMINATED"};
  return kNames[static_cast<std::size_t>(doing)];
}

}  // namespace ddm
