// Current rates of one program: bytes allocated a second by site, CPU by thread. Each rate is the
// difference of two measurements. One thread.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "site_rows.h"
#include "threads.h"

namespace ddm {

struct SiteRates {
  SiteRow row;  // the difference of the two measurements
  double bytes_per_second = 0, objects_per_second = 0;
};
struct ThreadRates {
  std::int64_t id = 0;
  std::string name;
  double cpu_percent = 0;
};

class ProgramRates {
 public:
  explicit ProgramRates(DdmClient& client) : client_(client) {}

  // The error: it does not answer, or does not count its sites.
  std::optional<Error> measure(RowsBy by);

  const std::vector<SiteRates>& sites() const { return sites_; }        // most bytes first
  const std::vector<ThreadRates>& threads() const { return threads_; }  // most CPU first
  bool tracking() const { return tracking_; }

 private:
  DdmClient& client_;
  SiteFigures before_;
  std::map<std::int64_t, std::uint32_t> ticks_;
  std::chrono::steady_clock::time_point at_;
  bool first_ = true, tracking_ = false;
  std::vector<SiteRates> sites_;
  std::vector<ThreadRates> threads_;
};

}  // namespace ddm
