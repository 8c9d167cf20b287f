// Milliseconds since the epoch.
#pragma once

#include <chrono>
#include <cstdint>

namespace ddm {

inline std::int64_t epoch_ms() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace ddm
