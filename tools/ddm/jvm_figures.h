// Key figures of a program, fetched by a few short requests; and of all programs, from time to time.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "ddm_client.h"
#include "output.h"
#include "threads.h"
#include "wire/chunks/heap_info.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// Unknown figures are empty: other DDM programs support less, and nothing is counted before
// tracking is switched on for the first time.
struct JvmFigures {
  bool tracking = false;
  std::int64_t period =
      0;  // the number of times that tracking was switched on; each resets the figures
  std::int64_t seen = 0, seen_bytes = 0;
  std::optional<std::int64_t> live_bytes;  // with live=
  std::optional<std::int64_t> heap_used, heap_max;
  std::optional<std::int64_t> collections, collection_ms;
  std::optional<std::int64_t> threads;
};

Result<JvmFigures> jvm_figures(DdmClient& client);

// The Java heap as a whole. Figures of a program without HPUS end at 2 GiB - 1, and name no
// collectors. None: it does not tell them.
Result<std::optional<HeapUsage>> heap_usage(DdmClient& client);

// None: there is no limit, or it is unknown.
std::optional<std::uint64_t> heap_max(const HeapUsage& usage);

// The rate between two readings. None: tracking is off, there was a reset in between, or this is
// the first reading.
std::optional<double> bytes_per_second(const std::optional<JvmFigures>& before,
                                       const JvmFigures& now, std::chrono::duration<double> passed);

// The rate in whole bytes, or null.
Json json_of_rate(const std::optional<double>& bytes_per_second);

// "4.5 MiB"; a value truncated on the wire is ">= 2 GiB".
std::string heap_bytes(std::uint64_t bytes);

struct WatchedJvm {
  pid_t pid = 0;
  std::string app, vm;
  std::optional<JvmFigures> figures;  // none: it has not answered
  // Since the previous reading.
  std::optional<double> bytes_per_second;   // none: as of bytes_per_second()
  double cpu_percent = 0;                   // of one processor
  std::optional<double> agent_cpu_seconds;  // of the agent's own threads; never falls
};

// Periodic readings of all programs with the agent that this user may ask.
//
// Any thread; reads several programs concurrently. A program that does not answer costs two seconds
// once, and is skipped for a while.
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
