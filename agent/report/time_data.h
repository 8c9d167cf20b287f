// What a report tells of time: methods that were timed, stacks that were sampled, and where threads
// waited for locks. Times are nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stack/frame.h"
#include "stack/names/name_table.h"
#include "stack/names/names_user.h"

namespace ddm {

// Recursion counts once in total_ns and cpu_ns, which include what was called.
struct MethodTime {
  std::string class_name;  // as in MethodName
  std::string method;
  std::string signature;
  std::int64_t calls = 0;       // entries
  std::int64_t exceptions = 0;  // of these, how many an exception ended
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t cpu_ns = 0;     // of the thread
  NameId name = kUnknownName;  // the same, for stacks
};

// The same of a method where one method called it: a node of the tree of calls. Recursion counts as
// above.
struct MethodPath {
  static constexpr std::int32_t kNoCaller = -1;
  std::int32_t caller = kNoCaller;  // an earlier one of the list
  std::uint32_t method = 0;         // which of TimeData::methods
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
};

struct StackSample {
  std::int64_t count = 0;
  std::string thread;  // its name
  std::vector<Frame> frames;
  bool cut = false;  // there were more frames
};

enum class MonitorKind : std::uint8_t {
  kEnter,  // waited to enter a synchronized block or method
  kWait,   // in Object.wait()
  kPark,   // in LockSupport.park(), as the locks of java.util.concurrent wait
  kPin,    // a virtual thread that kept its carrier while it waited
};

constexpr std::string_view name_of(MonitorKind kind) {
  constexpr std::string_view kNames[] = {"enter", "wait", "park", "pin"};
  return kNames[static_cast<std::size_t>(kind)];
}

// Of the waits at one place: those that one thread was the cause of, since it had the lock when they
// began, and what it was doing then.
struct LockHolder {
  std::string thread;  // its name
  std::int64_t count = 0;
  std::int64_t ns = 0;
  std::vector<Frame> frames;  // none: not known
  bool cut = false;
};

struct MonitorTime {
  MonitorKind kind = MonitorKind::kEnter;
  NameId class_id = kUnknownName;  // of the object waited for
  std::int64_t count = 0;
  std::int64_t ns = 0;
  std::vector<Frame> frames;
  bool cut = false;
  std::vector<LockHolder> holders{};  // most time first; of waits with a known one
};

// A wait that goes on.
struct OngoingWait {
  MonitorKind kind = MonitorKind::kEnter;
  NameId class_id = kUnknownName;  // of the object waited for
  std::int64_t thread_id = 0;      // Java's
  std::int64_t ns = 0;             // so far
  std::string holder;              // who had the lock when it began; "": nobody, or not known
  std::vector<Frame> frames;
  bool cut = false;
};

// How the sampler fared, since it was last switched on.
struct SamplerFigures {
  std::int64_t asked_ns = 0;  // from one look at the threads to the next
  std::int64_t mean_ns = 0;   // as it was, on average
  std::int64_t longest_ns = 0;
  std::int64_t budget = 0;  // percent of one CPU
  std::int64_t on_ns = 0;
  std::int64_t own_ns = 0;     // CPU of its thread
  std::int64_t others_ns = 0;  // estimated: CPU of other threads, for their stacks
  std::int64_t looks = 0;
  std::int64_t stacks = 0;     // taken and counted
  std::int64_t waiting = 0;    // taken of threads that had stopped running: not counted
  std::int64_t missed_ns = 0;  // CPU of threads that were never met running
  std::map<std::string, std::int64_t> failed;  // stacks that could not be had, by reason
};

// Each list with the largest figure first.
struct TimeData {
  std::vector<MethodTime> methods;
  std::vector<MethodPath> method_paths;           // callers before what they called
  std::map<std::string, std::int64_t> not_timed;  // methods and classes left out, by reason
  std::vector<StackSample> samples;
  std::optional<SamplerFigures> sampler;
  std::vector<MonitorTime> monitors;
  std::vector<OngoingWait> waiting;  // not in `monitors`, which have what is over
  std::optional<bool> monitor_on;    // none: monitors were never timed
  std::string incomplete;            // a sentence on what the figures lack; "": nothing

  bool empty() const { return methods.empty() && samples.empty() && monitors.empty(); }
};

// Who measures time, and adds what is known so far. Any thread, also without the VM.
class TimeDataSource : public NamesUser {
 public:
  virtual void add_to(TimeData& data) = 0;
  // Figures begin anew; what is on stays on.
  virtual void forget() {}
};

}  // namespace ddm
