// Periodic readings of all programs with the agent that this user may ask.
//
// Any thread; reads several programs concurrently. A program that does not answer costs two seconds
// once, and is skipped for a while.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent_threads.h"
#include "jvm_figures.h"
#include "wire/sockets/discovery.h"

namespace ddm {

struct WatchedJvm {
  pid_t pid = 0;
  std::string app, vm;
  std::optional<JvmFigures> figures;  // none: it has not answered
  // Since the previous reading.
  std::optional<double> bytes_per_second;   // none: as in jvm_figures.h
  double cpu_percent = 0;                   // of one processor
  std::optional<double> agent_cpu_seconds;  // of the agent's own threads; never falls
};

class JvmWatch {
 public:
  using Clock = std::chrono::steady_clock;

  // A reading is repeated to all who ask within `fresh_for`.
  explicit JvmWatch(Clock::duration fresh_for) : fresh_for_(fresh_for) {}

  // By pid.
  std::vector<WatchedJvm> read();

 private:
  struct State {
    Target target;
    std::optional<DdmClient> client;
    std::optional<JvmFigures> before;
    std::int64_t cpu_ticks = 0;
    AgentCpu agent_cpu;
    Clock::time_point at, retry_at;
  };
  static WatchedJvm read_one(State& state);

  const Clock::duration fresh_for_;
  std::mutex mutex_;
  std::map<pid_t, State> states_;
  std::vector<WatchedJvm> last_reading_;
  Clock::time_point last_read_at_;
};

}  // namespace ddm
