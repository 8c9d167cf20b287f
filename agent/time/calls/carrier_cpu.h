// The CPU time of a virtual thread, from its carriers': the sum of the differences between two events
// in a row on the same carrier, each at most the wall time between them. Threads that are not seen
// may have used the carrier meanwhile. The thread's own.
#pragma once

#include <algorithm>

#include "core/tick_clock.h"

namespace ddm {

class CarrierCpu {
 public:
  // The thread's CPU time at an event, when its carrier's clock says `carrier_cpu`.
  Ticks at(const void* carrier, Ticks carrier_cpu, Ticks now) noexcept {
    if (carrier == carrier_ && carrier_cpu > carrier_cpu_ && now > at_) {
      cpu_ += std::min(carrier_cpu - carrier_cpu_, now - at_);
    }
    carrier_ = carrier;
    carrier_cpu_ = carrier_cpu;
    at_ = now;
    return cpu_;
  }
  // Another thread was seen on the carrier since.
  void remounted() noexcept { carrier_ = nullptr; }

 private:
  Ticks cpu_ = 0;
  const void* carrier_ = nullptr;  // of the last event, and its clocks
  Ticks carrier_cpu_ = 0;
  Ticks at_ = 0;
};

}  // namespace ddm
