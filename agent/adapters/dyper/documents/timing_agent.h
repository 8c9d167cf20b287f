// TIMING: the number of living threads, and the CPU that each has used since it was first sampled.
#pragma once

#include <map>

#include "adapters/dyper/documents/dyper_agent.h"

namespace ddm {

class TimingAgent final : public DyperAgent {
 public:
  TimingAgent() : DyperAgent("TIMING") {}

  void report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) override;
  bool needs_facts(const SeenThread& thread, const DyperVariables& variables) const override;

 protected:
  void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                    const DyperVariables& variables) override;
  void forget() override;

 private:
  struct Life {
    std::int64_t start_ms = 0, last_ms = 0;  // of its samples; 0: USETHREAD has excluded it so far
    double cpu_ms = 0, user_ms = 0;          // what it had used at start_ms
  };

  std::map<std::int64_t, Life> lives_;  // of the threads that lived at the last snapshot
  std::int64_t seen_ = 0, created_ = 0, died_ = 0;
  double live_ = 0, live_squares_ = 0;
};

}  // namespace ddm
