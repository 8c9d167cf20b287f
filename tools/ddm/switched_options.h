// Options of a target's agent, given for as long as a command looks (OPTS): samples of CPU, waits for
// locks, what lives, a sampling interval. They end with the connection; what was on before stays on.
#pragma once

#include <cstdint>

#include "ddm_client.h"

namespace ddm {

struct WantedOptions {
  bool cpu = false, wall = false, locks = false, live = false;  // wall: in place of cpu
  std::int64_t interval = 0;                                    // bytes; 0: as it is

  bool any() const { return cpu || wall || locks || live || interval > 0; }
};

class SwitchedOptions {
 public:
  // With `live` tracking is switched on, too, if it was off, and until the connection ends.
  static Result<SwitchedOptions> on(DdmClient& client, const WantedOptions& wanted);
  SwitchedOptions(SwitchedOptions&& other) noexcept;
  SwitchedOptions& operator=(SwitchedOptions&&) = delete;
  ~SwitchedOptions();

  // Whether it was told before already what lives.
  bool was_live() const { return was_live_; }

 private:
  SwitchedOptions() = default;

  DdmClient* client_ = nullptr;  // null: nothing is to be undone
  bool was_live_ = false;
};

}  // namespace ddm
