// Options of a target's agent, given for as long as a command looks, as a further load of the agent takes
// them: samples of CPU, waits for locks, what lives, a sampling interval. What was on before stays on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ddm_client.h"
#include "jvm_process.h"

namespace ddm {

struct WantedOptions {
  bool cpu = false, locks = false, live = false;
  std::int64_t interval = 0;  // bytes; 0: as it is

  bool any() const { return cpu || locks || live || interval > 0; }
};

class SwitchedOptions {
 public:
  // `target`: a pid; others cannot be loaded into. `agent`: as in find_or_load().
  static Result<SwitchedOptions> on(DdmClient& client, const std::string& target,
                                    const std::string& agent, const WantedOptions& wanted);
  SwitchedOptions(SwitchedOptions&& other) noexcept;
  SwitchedOptions& operator=(SwitchedOptions&&) = delete;
  ~SwitchedOptions();

 private:
  SwitchedOptions() = default;

  std::string library_;
  std::string back_;               // options that undo it; "": nothing has changed
  std::optional<JvmProcess> jvm_;  // with back_
};

}  // namespace ddm
