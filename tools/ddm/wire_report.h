// Allocations as a server gets them (REAL) -> the data of a report.
//
// The wire has less than the agent knows: no times, no bytecode indices, the protocol's own thread
// ids. Lines are kept by giving every line of a method an entry of its own.
#pragma once

#include <memory>

#include "ddm/allocations.h"
#include "ddm/hello.h"
#include "records/report.h"

namespace ddm {

struct WireReport {
  std::unique_ptr<NameTable> names;
  ReportData data;
};

// `interval`: of a sampler, 0 = none or not known. `thread_names`: by the protocol's id.
WireReport wire_report(const Allocations& allocations, const HelloReply& hello,
                       std::int64_t interval, std::map<std::int64_t, std::string> thread_names,
                       std::int64_t now_ms);

}  // namespace ddm
