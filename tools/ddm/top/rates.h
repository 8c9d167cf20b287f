// Current rates of programs: bytes allocated a second, live bytes, CPU; of one program also by site
// and thread. Each rate is the difference of two measurements.
//
// One thread. A program that has ended, or does not answer, is left out from then on.
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

struct JvmRates {
  pid_t pid = 0;
  std::string app;
  std::optional<double> bytes_per_second;  // none: tracking is off
  std::optional<std::int64_t> live_bytes;  // with live=; else used heap
  double cpu_percent = 0;                  // of one processor
};

struct SiteRates {
  SiteRow row;  // the difference of the two measurements
  double bytes_per_second = 0, objects_per_second = 0;
};
struct ThreadRates {
  std::int64_t id = 0;
  std::string name;
  double cpu_percent = 0;
};

using RatesClock = std::chrono::steady_clock;

// All programs with the agent that this user may ask.
class AllJvmRates {
 public:
  // Since the last call; after the first one all rates are 0.
  std::vector<JvmRates> measure();

 private:
  struct Connected {
    DdmClient client;
    std::string app;
    std::optional<JvmFigures> before;  // none: first measurement
    std::int64_t cpu_ticks = 0;
    RatesClock::time_point at;
  };
  std::optional<JvmRates> measure_one(pid_t pid, Connected& connected);

  std::map<pid_t, Connected> connected_;
};

// One program.
class OneJvmRates {
 public:
  explicit OneJvmRates(DdmClient& client) : client_(client) {}

  // The error: it does not answer, or does not count its sites.
  std::optional<Error> measure(RowsBy by);

  const std::vector<SiteRates>& sites() const { return sites_; }        // most bytes first
  const std::vector<ThreadRates>& threads() const { return threads_; }  // most CPU first
  bool tracking() const { return tracking_; }

 private:
  DdmClient& client_;
  SiteFigures before_;
  std::map<std::int64_t, std::uint32_t> ticks_;
  RatesClock::time_point at_;
  bool first_ = true, tracking_ = false;
  std::vector<SiteRates> sites_;
  std::vector<ThreadRates> threads_;
};

}  // namespace ddm
