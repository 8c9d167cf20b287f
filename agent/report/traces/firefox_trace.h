// A trace of method calls as a profile for profiler.firefox.com: for each thread the stack from one
// moment to the next, weighed by how long it stood. Pure.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "report/report.h"
#include "report/traces/method_trace.h"
#include "stack/names/name_table.h"

namespace ddm {

// A trace's methods as reports know them, by their key in MethodTrace::methods.
struct TraceNames {
  explicit TraceNames(const MethodTrace& trace);
  std::unique_ptr<NameTable> table;
  std::map<std::uint32_t, NameId> ids;
};

// Calls without an end go on until the trace's end. `vm`: what it was taken of.
void firefox_trace(const MethodTrace& trace, const TraceNames& names, const std::string& app,
                   const std::string& vm, const ReportSink& sink);

}  // namespace ddm
