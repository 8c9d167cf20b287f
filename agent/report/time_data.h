// A report's data on time: timed methods, sampled stacks, and waits for locks. Times are
// nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/frame.h"
#include "stack/names/name_table.h"

namespace ddm {

// Recursion counts once in total_ns and cpu_ns, which include callees.
struct MethodTime {
  std::string class_name;  // as in MethodName
  std::string method;
  std::string signature;
  std::int64_t calls = 0;       // entries
  std::int64_t exceptions = 0;  // the part of them ended by an exception
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t cpu_ns = 0;     // of the thread
  NameId name = kUnknownName;  // the method's name id, for stacks
};

// The same for one method called by another: a node of the tree of calls. Recursion as above.
struct MethodPath {
  static constexpr std::int32_t kNoCaller = -1;
  std::int32_t caller = kNoCaller;  // index of an earlier entry
  std::uint32_t method = 0;         // index in TimeData::methods
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
};

struct StackSample {
  std::int64_t count = 0;
  std::string thread;  // its name
  std::vector<Frame> frames;
  bool cut = false;  // frames are missing
};

enum class MonitorKind : std::uint8_t {
  kEnter,  // waited to enter a synchronized block or method
  kWait,   // in Object.wait()
  kPark,   // in LockSupport.park(), also called by the locks of java.util.concurrent
  kPin,    // a pinned virtual thread
};

constexpr std::string_view name_of(MonitorKind kind) {
  constexpr std::string_view kNames[] = {"enter", "wait", "park", "pin"};
  return kNames[static_cast<std::size_t>(kind)];
}

// The part of the waits at one place whose lock was owned by this thread when they began, and what
// the owner was executing then.
struct LockHolder {
  std::string thread;  // its name
  std::int64_t count = 0;
  std::int64_t ns = 0;
  std::vector<Frame> frames;  // empty: unknown
  bool cut = false;
};

struct MonitorTime {
  MonitorKind kind = MonitorKind::kEnter;
  NameId class_id = kUnknownName;  // of the object that was waited for
  std::int64_t count = 0;
  std::int64_t ns = 0;
  std::vector<Frame> frames;
  bool cut = false;
  std::vector<LockHolder> holders{};  // most time first; only waits with a known owner
};

// A wait in progress.
struct OngoingWait {
  MonitorKind kind = MonitorKind::kEnter;
  NameId class_id = kUnknownName;  // of the object that is waited for
  std::int64_t thread_id = 0;      // Thread.getId()
  std::string thread;              // its name; "": a virtual thread's, or unknown
  std::int64_t ns = 0;             // so far
  std::string holder;              // the lock's owner when it began; "": none, or unknown
  std::vector<Frame> frames;
  bool cut = false;
};

// Statistics of the sampler since it was last switched on.
struct SamplerFigures {
  bool wall = false;              // samples of all threads' time, waiting or not; else of their CPU
  std::int64_t requested_ns = 0;  // interval between rounds as requested
  std::int64_t mean_ns = 0;       // actual mean interval
  std::int64_t longest_ns = 0;
  std::int64_t budget = 0;  // percent of one CPU
  std::int64_t on_ns = 0;
  std::int64_t own_ns = 0;     // CPU of the sampler thread
  std::int64_t others_ns = 0;  // estimated CPU of other threads for their stacks
  std::int64_t rounds = 0;
  std::int64_t stacks = 0;     // taken and counted
  std::int64_t waiting = 0;    // taken of threads that had stopped running: not counted
  std::int64_t missed_ns = 0;  // CPU of threads that were never found running
  std::map<std::string, std::int64_t> failed;  // stacks that could not be taken, by reason
};

// Each list is ordered by its main figure, largest first.
struct TimeData {
  std::vector<MethodTime> methods;
  std::int64_t methods_ns = 0;                    // for how long they have been timed
  std::vector<MethodPath> method_paths;           // callers precede callees
  std::map<std::string, std::int64_t> not_timed;  // methods and classes not timed, by reason
  std::vector<StackSample> samples;
  std::optional<SamplerFigures> sampler;
  std::vector<MonitorTime> monitors;
  std::int64_t locks_ns = 0;         // for how long waits have been timed
  std::vector<OngoingWait> waiting;  // in progress; not included in `monitors`
  std::optional<bool> monitor_on;    // nullopt: waits were never measured
  std::string incomplete;            // what is missing in the figures, as a sentence; "": nothing

  bool empty() const { return methods.empty() && samples.empty() && monitors.empty(); }
};

// A feature that measures time and adds its results. Any thread, also without the VM.
class TimeDataSource : public NamesUser {
 public:
  virtual void add_to(TimeData& data) = 0;
  // Resets the figures; measuring continues.
  virtual void forget() {}
};

}  // namespace ddm
