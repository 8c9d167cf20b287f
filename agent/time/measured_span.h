// For how long something has been measured: until now, or until it was switched off.
#pragma once

#include <cstdint>

#include "core/clocks.h"

namespace ddm {

class MeasuredSpan {
 public:
  // Also when the figures begin anew.
  void begin() {
    begun_ns_ = monotonic_ns();
    is_on_ = true;
  }
  void end() {
    if (is_on_) ns_ = ns();
    is_on_ = false;
  }
  std::int64_t ns() const { return is_on_ ? monotonic_ns() - begun_ns_ : ns_; }

 private:
  std::int64_t begun_ns_ = 0, ns_ = 0;
  bool is_on_ = false;
};

}  // namespace ddm
