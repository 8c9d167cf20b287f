// What a report's waits are: for a lock, whose holder is known or not, or for work.
#pragma once

#include <cstdint>
#include <vector>

#include "json_values.h"

namespace ddm {

// `wait`: a row of a report's waits, with class, kind and stack, innermost frame first. Idle are the
// JDK's timers and pools, and pools like them (Tomcat has one of its own, and a queue for the JDK's):
// a ...ThreadPoolExecutor's getTask() that is in its queue's take() or poll(), but not in wait for
// a lock of it.
bool is_idle_wait(const Json& wait);

struct HolderCounts {
  std::int64_t waits = 0;  // for monitors, and for locks that have an owner
  std::int64_t known = 0;  // with a holder
};

HolderCounts count_holders(const std::vector<Json>& waits);

}  // namespace ddm
