// How long one thread waited, and where (cpu=wall). Pure; used by the sampler thread.
//
// Of the time between two checks, a thread ran, or was kept from a processor, for so long as the
// system says; the rest it waited. One that has not run since it was found waiting waits there
// still, so its stack counts again and need not be taken. The system tells what a thread was kept
// from a processor only once it has one: what was put down to the wait before is taken back then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stack/tree/call_tree.h"
#include "time/totals/sample_counts.h"

namespace ddm {

class WaitingTime {
 public:
  // `unit_ns`: the time of a sample. `head_start_ns`: below that, see RanThreads::look().
  void begin(std::int64_t now_ns, std::int64_t unit_ns, std::int64_t head_start_ns);

  // Since the last check, or begin(), the thread ran or was kept from a processor for `ran_ns`.
  void checked(std::int64_t now_ns, std::int64_t ran_ns, SampleCounts& counts);

  // Where it waits is known, and has been counted: it has not run since.
  bool is_told() const { return where_ && !ran_since_; }
  // A sample's time that it waited somewhere.
  bool is_due() const { return waited_ns_ >= unit_ns_; }

  // Met running: it waited where it was found before, if that is known. Otherwise that time is kept
  // until it is found waiting.
  void found_running(SampleCounts& counts);
  // `thread`: its name. The time since it was last found is divided between both places.
  void found_waiting(std::string_view thread, TraceNumber stack, SampleCounts& counts);

 private:
  struct Place {
    std::string thread;
    TraceNumber stack;
    std::int64_t told = 0;  // samples since it was found there
  };

  void tell(std::int64_t waited_ns, SampleCounts& counts);

  std::int64_t unit_ns_ = 0;
  std::int64_t checked_ns_ = 0;
  std::int64_t waited_ns_ = 0;  // not told yet, and the head start
  std::optional<Place> where_;  // it was found waiting last
  bool ran_since_ = false;
};

}  // namespace ddm
