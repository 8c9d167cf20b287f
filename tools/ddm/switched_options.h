// Agent options that are on while a command runs (OPTS): CPU samples, waits for locks, live
// objects, a sampling interval. They end with the connection; options that were on before stay on.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "ddm_client.h"

namespace ddm {

struct WantedOptions {
  bool cpu = false, wall = false, locks = false, live = false;  // wall: in place of cpu
  std::int64_t interval = 0;                                    // bytes; 0: unchanged

  bool any() const { return cpu || wall || locks || live || interval > 0; }
};

bool is_tracking(DdmClient& client);
// Tracking is on until this connection ends, or it is no more wanted: then it is switched off unless
// somebody else has switched it on, too.
std::optional<Error> lease_tracking(DdmClient& client, bool on);

// Ends the connection's lease in its destructor. If the program has ended, the request fails, and
// nothing has to be switched off.
class TrackingScope {
 public:
  explicit TrackingScope(DdmClient& client) : client_(&client) {}
  TrackingScope(const TrackingScope&) = delete;
  TrackingScope& operator=(const TrackingScope&) = delete;
  ~TrackingScope() {
    if (client_ != nullptr) lease_tracking(*client_, false);
  }
  std::optional<Error> end() { return lease_tracking(*std::exchange(client_, nullptr), false); }

 private:
  DdmClient* client_;
};

class SwitchedOptions {
 public:
  // With `live`, tracking is also on until the connection ends.
  static Result<SwitchedOptions> on(DdmClient& client, const WantedOptions& wanted);
  SwitchedOptions(SwitchedOptions&& other) noexcept;
  SwitchedOptions& operator=(SwitchedOptions&&) = delete;
  ~SwitchedOptions();

  // Whether live= was on before.
  bool was_live() const { return was_live_; }
  // The wanted parts of a report that were on before, so that it covers more of them than was asked
  // for: "samples and waits for locks"; "": none.
  const std::string& on_before() const { return on_before_; }

 private:
  SwitchedOptions() = default;

  DdmClient* client_ = nullptr;  // null: nothing is to be undone
  bool was_live_ = false;
  std::string on_before_;
};

}  // namespace ddm
