// A trace of calls as a report of time, for the page.
#pragma once

#include "ddm/hello.h"
#include "records/firefox_trace.h"
#include "records/report.h"
#include "trace_sums.h"

namespace ddm {

// `sample_ms`: the trace was told from stacks taken so often; 0: it has every call.
ReportData trace_report(const MethodTrace& trace, const TraceSums& sums, const TraceNames& names,
                        const HelloReply& hello, double sample_ms, std::int64_t now_ms);

}  // namespace ddm
