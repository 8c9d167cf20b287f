// CPU time of the VM thread, which executes safepoint operations.
#pragma once

#include <cstdint>

namespace ddm {

class VmThreadClock {
 public:
  VmThreadClock();

  // Nanoseconds; 0: the thread was not found.
  std::int64_t now_ns() const;

 private:
  std::uint32_t os_id_ = 0;
};

}  // namespace ddm
