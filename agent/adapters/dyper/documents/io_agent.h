// IO: threads whose innermost frame is an I/O class's, by the outermost such frame of the system's
// (what the program has called), with the threads and the program's own frames behind.
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
  void look_at(const Look& look, const ClassTypes& types, const DyperVariables& variables) override;
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
