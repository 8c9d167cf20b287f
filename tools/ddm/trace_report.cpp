#include "trace_report.h"

#include <fmt/format.h>

#include <map>

#include "wire_report.h"

namespace ddm {
namespace {

std::int64_t nanos(std::uint64_t micros) { return static_cast<std::int64_t>(micros) * 1000; }

}  // namespace

ReportData trace_report(const MethodTrace& trace, const TraceSums& sums, const TraceNames& names,
                        const HelloReply& hello, double sample_ms, std::int64_t now_ms) {
  ReportData data;
  data.names = names.table.get();
  data.summary = summary_of(hello, now_ms);
  data.summary.tracked_ms = static_cast<std::int64_t>(trace.elapsed_micros / 1000);
  TimeData& time = data.time;
  std::map<std::uint32_t, std::uint32_t> places;
  for (const TraceSum& sum : sums.methods) {
    const TraceMethod& method = trace.methods.at(sum.method);
    places[sum.method] = static_cast<std::uint32_t>(time.methods.size());
    time.methods.push_back(
        {method.class_name, method.method, method.signature, static_cast<std::int64_t>(sum.calls),
         static_cast<std::int64_t>(sum.exceptions), nanos(sum.total_micros), nanos(sum.self_micros),
         nanos(sum.cpu_micros), names.ids.at(sum.method)});
  }
  for (const TracePath& path : sums.paths) {
    time.method_paths.push_back({path.caller, places.at(path.sum.method),
                                 static_cast<std::int64_t>(path.sum.calls),
                                 nanos(path.sum.total_micros), nanos(path.sum.self_micros)});
  }
  if (time.methods.empty()) {
    time.incomplete =
        sample_ms > 0 ? "No thread was met running." : "No call of such a method was seen.";
  } else if (sample_ms > 0) {
    time.incomplete = fmt::format(
        "Told from stacks taken every {} ms: shorter calls are missed, or told once for many.",
        sample_ms);
  }
  if (trace.overflow) {
    time.incomplete += time.incomplete.empty() ? "" : " ";
    time.incomplete += "The buffer was full before the end: later calls are missing.";
  }
  return data;
}

}  // namespace ddm
