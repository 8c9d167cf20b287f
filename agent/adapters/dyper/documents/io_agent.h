// IO: threads whose innermost frame is in an I/O class, grouped by the outermost system frame of
// that run (the method that the program called), with the threads and the program's frames below
// it. Bounded: of each there are kMostItems at most.
#pragma once

#include <map>
#include <string>

#include "adapters/dyper/documents/dyper_agent.h"

namespace ddm {

class IoAgent final : public DyperAgent {
 public:
  static constexpr std::size_t kMostItems = 10'000;

  IoAgent() : DyperAgent("IO") {}

  void report(const ReportMoment& moment, const DyperVariables& variables, XmlWriter& xml) override;

 protected:
  void add_snapshot(const ThreadSnapshot& snapshot, const ClassTypes& types,
                    const DyperVariables& variables) override;
  void forget() override;

 private:
  struct Sum {
    std::int64_t count = 0, reported = 0;
    std::map<std::int64_t, std::int64_t> threads;
    std::map<std::string, std::int64_t> sources;
  };

  std::map<std::string, Sum> items_;
  std::int64_t active_ = 0;
};

}  // namespace ddm
