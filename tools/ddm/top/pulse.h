// What programs do just now: bytes allocated a second, what is alive, CPU; of one program its sites and
// threads. Each figure is the difference of two looks.
//
// One thread. A program that is gone, or does not answer, is left out from then on.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "jvm_figures.h"
#include "site_rows.h"
#include "threads.h"
#include "wire/sockets/discovery.h"

namespace ddm {

struct JvmPulse {
  pid_t pid = 0;
  std::string app;
  std::optional<double> bytes_per_second;  // none: tracking is off
  std::optional<std::int64_t> live_bytes;  // with live=; else what is used of the heap
  double cpu_percent = 0;                  // of one processor
};

struct SitePulse {
  SiteRow row;  // what came between the two looks
  double bytes_per_second = 0, objects_per_second = 0;
};
struct ThreadPulse {
  std::int64_t id = 0;
  std::string name;
  double cpu_percent = 0;
};

using PulseClock = std::chrono::steady_clock;

// All programs with the agent that this user may ask.
class AllPulses {
 public:
  // Since the last call; after the first one all rates are 0.
  std::vector<JvmPulse> look();

 private:
  struct Known {
    DdmClient client;
    std::string app;
    std::optional<JvmFigures> before;  // none: this is the first look
    std::int64_t cpu_ticks = 0;
    PulseClock::time_point at;
  };
  std::optional<JvmPulse> look_at(pid_t pid, Known& known);

  std::map<pid_t, Known> known_;
};

// One program.
class OnePulse {
 public:
  explicit OnePulse(DdmClient& client) : client_(client) {}

  // The error: it does not answer, or does not count its sites.
  std::optional<Error> look(RowsBy by);

  const std::vector<SitePulse>& sites() const { return sites_; }        // most bytes first
  const std::vector<ThreadPulse>& threads() const { return threads_; }  // most CPU first
  bool tracking() const { return tracking_; }

 private:
  DdmClient& client_;
  SiteFigures before_;
  std::map<std::int64_t, std::uint32_t> ticks_;
  PulseClock::time_point at_;
  bool first_ = true, tracking_ = false;
  std::vector<SitePulse> sites_;
  std::vector<ThreadPulse> threads_;
};

}  // namespace ddm
