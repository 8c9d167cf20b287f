// A trace of calls as a report of time, for the page.
#pragma once

#include "report/report.h"
#include "report/traces/firefox_trace.h"
#include "trace_sums.h"
#include "wire/chunks/hello.h"

namespace ddm {

// `sample_ms`: the trace was made from stacks sampled at this interval; 0: it has every call.
ReportData trace_report(const MethodTrace& trace, const TraceSums& sums, const TraceNames& names,
                        const HelloReply& hello, double sample_ms, std::int64_t now_ms);

}  // namespace ddm
