// Converts allocations as DDM servers get them (REAL) to the data of a report.
//
// REAL has no times, no bytecode indices, and thread ids of its own. Line numbers are kept by
// giving every line of a method an entry of its own in the name table.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "report/report.h"
#include "wire/chunks/allocations.h"
#include "wire/chunks/hello.h"

namespace ddm {

// A summary with what is known of any target; the report was asked for.
ReportSummary summary_of(const HelloReply& hello, std::int64_t now_ms);

struct WireThread {
  std::int64_t id = 0;  // Java's
  std::string name;
};
using WireThreads = std::map<std::int64_t, WireThread>;  // by the protocol's id

// A thread that is not among `threads` has ended; its id is the protocol's, negated, since Java has
// no negative thread ids.
ReportData wire_report(const Allocations& allocations, const HelloReply& hello,
                       const WireThreads& threads, std::int64_t now_ms);

}  // namespace ddm
