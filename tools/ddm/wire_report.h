// Allocations as a server gets them (REAL) -> the data of a report.
//
// The wire has less than the agent knows: no times, no bytecode indices, thread ids of its own. Lines are kept by giving every line of a method an entry of its own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "report/report.h"
#include "wire/chunks/allocations.h"
#include "wire/chunks/hello.h"

namespace ddm {

struct WireReport {
  std::unique_ptr<NameTable> names;
  ReportData data;
};

struct WireThread {
  std::int64_t id = 0;  // Java's
  std::string name;
};
using WireThreads = std::map<std::int64_t, WireThread>;  // by the protocol's id

// `interval`: of a sampler, 0 = none or not known. A thread that is not among `threads` has ended:
// it stands under the protocol's id below zero, where no thread of Java's has one.
WireReport wire_report(const Allocations& allocations, const HelloReply& hello,
                       std::int64_t interval, const WireThreads& threads, std::int64_t now_ms);

}  // namespace ddm
