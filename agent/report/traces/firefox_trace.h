// Converts a trace of method calls to a profile for profiler.firefox.com: for each thread its
// successive stacks, weighted by duration. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "report/report.h"
#include "report/traces/method_trace.h"
#include "stack/names/name_table.h"

namespace ddm {

// Names of a trace's methods for reports, by their key in MethodTrace::methods.
struct TraceNames {
  explicit TraceNames(const MethodTrace& trace);
  std::unique_ptr<NameTable> table;
  std::map<std::uint32_t, NameId> ids;
};

// Calls without an end last until the trace's end, or, with `overflow`, their thread's last event.
// `vm`: the traced VM.
void firefox_trace(const MethodTrace& trace, const TraceNames& names, const std::string& app,
                   const std::string& vm, const ReportSink& sink);

}  // namespace ddm
