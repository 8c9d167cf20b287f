// THREADS: the states in which each thread was seen, and the holders of the locks that blocked it.
// A thread is followed once it was seen running or blocked; an ended thread is reported once more
// and then dropped; one that USETHREAD excludes is kept, and not reported while it lives.
// Bounded also without reports: beyond kMostItems, threads that are gone are dropped, and each thread has the first
// kMostHolders.
#pragma once

#include <map>
#include <optional>

#include "adapters/dyper/documents/dyper_agent.h"

namespace ddm {

class ThreadsAgent final : public DyperAgent {
 public:
  static constexpr std::size_t kMostItems = 10'000;
  static constexpr std::size_t kMostHolders = 1'000;

  ThreadsAgent() : DyperAgent("THREADS") {}

  void report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) override;
  bool needs_facts(const SeenThread& thread, const DyperVariables& variables) const override;
  void contention_timing_begins() override;

 protected:
  void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                    const DyperVariables& variables) override;
  void forget() override { threads_.clear(); }

 private:
  struct Holder {
    std::string name;
    std::int64_t start_ms = 0;
    std::int64_t count = 0;
  };
  // The moment from which a thread's blocking and waiting are reported, and the VM's sums then.
  struct TimedFrom {
    std::int64_t ms = 0, blocked_ms = 0, waited_ms = 0;
  };
  struct Sums {
    std::string name;
    std::string class_name;  // of the innermost frame outside of system classes
    std::int64_t start_ms = 0, last_ms = 0;
    std::int64_t total = 0, blocks = 0, runs = 0, waits = 0, ios = 0, sleeps = 0;
    std::optional<TimedFrom> timed_from;  // none: contention has not been timed
    bool asked = false;                   // for it, since contention timing began
    std::map<std::int64_t, Holder> holders;
    bool introduced = false;
  };

  std::map<std::int64_t, Sums> threads_;
};

}  // namespace ddm
