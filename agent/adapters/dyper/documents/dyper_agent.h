// A DYPER agent: one of the analyses of monitoring, which AGENT names and which has an element of
// its own in REPORT. Each receives every ThreadSnapshot and updates its sums. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/dyper/documents/class_types.h"
#include "adapters/dyper/documents/thread_snapshot.h"
#include "adapters/dyper/documents/variables.h"
#include "adapters/dyper/documents/xml_writer.h"

namespace ddm {

// The time and number of snapshots since monitoring began or the figures were cleared.
struct MonitoredTime {
  std::int64_t monitored_us = 0;
  std::int64_t monitored_ms() const { return monitored_us / 1000; }
  std::int64_t samples = 0;
  std::int64_t last_ms = 0;  // since the epoch
};

struct ReportMoment {
  std::int64_t now_ms = 0;
  std::int64_t processors = 1;
  std::vector<ThreadFacts> threads;  // all that live
  std::string counted;               // the <RTITEM> elements of patched code
};

class DyperAgent {
 public:
  explicit DyperAgent(std::string_view name) : name_(name) {}
  DyperAgent(const DyperAgent&) = delete;
  DyperAgent& operator=(const DyperAgent&) = delete;
  virtual ~DyperAgent() = default;

  std::string_view name() const { return name_; }
  bool active = true;

  // `us`: the monitored time since the previous snapshot.
  void check(const ThreadSnapshot& snapshot, std::int64_t us, const ClassTypes& types,
             const DyperVariables& variables) {
    time_.monitored_us += us;
    ++time_.samples;
    time_.last_ms = snapshot.ms;
    add_snapshot(snapshot, types, variables);
  }
  void clear() {
    time_ = {};
    forget();
  }
  // Whether add_snapshot() is to get this thread with SeenThread::facts.
  virtual bool needs_facts(const SeenThread&, const DyperVariables&) const { return false; }
  // The VM begins to time contention. The times that it has summed up before are of no account.
  virtual void contention_timing_begins() {}
  // `name`: "a.B" or "a.B@method"; an unknown one has no effect.
  virtual void set_detail(std::string_view, bool) {}
  virtual void report(const ReportMoment& moment, const DyperVariables& variables,
                      XmlWriter& xml) = 0;

 protected:
  virtual void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                            const DyperVariables& variables) = 0;
  virtual void forget() = 0;
  const MonitoredTime& time() const { return time_; }
  // `counted`: the snapshots that had something for this agent.
  void write_time(std::int64_t counted, XmlWriter& xml) const {
    xml.attribute("MONTIME", time_.monitored_ms()).attribute("SAMPLES", time_.samples);
    xml.attribute("ACTIVE", counted).attribute("LAST", time_.last_ms);
  }

 private:
  const std::string_view name_;
  MonitoredTime time_;
};

// The index of the innermost frame outside of system classes; frames.size() if there is none.
inline std::size_t first_user_frame(const SeenThread& thread, const ClassTypes& types) {
  std::size_t i = 0;
  while (i < thread.frames.size() && types.of(thread.frames[i].class_name).system) ++i;
  return i;
}

inline bool does_io(const SeenThread& thread, const ClassTypes& types) {
  return thread.activity == ThreadActivity::kRunnable && !thread.frames.empty() &&
         types.of(thread.frames.front().class_name).io;
}

}  // namespace ddm
