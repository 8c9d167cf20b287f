// The CPU of the VM's own thread, on which it does what needs all others to stand still.
#pragma once

#include <cstdint>

namespace ddm {

class VmThreadClock {
 public:
  VmThreadClock();

  // Nanoseconds; 0 where the thread is not found.
  std::int64_t now_ns() const;

 private:
  std::uint32_t os_id_ = 0;
};

}  // namespace ddm
