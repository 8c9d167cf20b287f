// Periodic readings of all programs with the agent that this user may ask.
//
// Any thread; reads several programs concurrently, and each at most twice a second. A program that
// does not answer costs two seconds once, and is skipped for a while.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "jvm_figures.h"
#include "wire/sockets/discovery.h"

namespace ddm {

struct WatchedJvm {
  pid_t pid = 0;
  std::string app, vm;
  std::optional<JvmFigures> figures;        // none: it has not answered
  std::optional<double> bytes_per_second;   // since the previous reading; none: tracking was off
  std::optional<double> agent_cpu_seconds;  // of the agent's own threads
};

class JvmWatch {
 public:
  // By pid.
  std::vector<WatchedJvm> read();

 private:
  using Clock = std::chrono::steady_clock;
  struct State {
    Target target;
    std::optional<DdmClient> client;
    std::optional<JvmFigures> before;
    Clock::time_point at, retry_at;
  };
  static WatchedJvm read_one(State& state);

  std::mutex mutex_;
  std::map<pid_t, State> states_;
  std::vector<WatchedJvm> last_reading_;
  Clock::time_point last_read_at_;
};

}  // namespace ddm
