// Sums of a trace of calls: by method and by stack.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/report.h"
#include "report/traces/firefox_trace.h"
#include "report/traces/method_trace.h"
#include "wire/chunks/hello.h"

namespace ddm {

struct TraceSum {
  std::uint32_t method = 0;  // key of MethodTrace::methods
  std::uint64_t calls = 0;
  std::uint64_t exceptions = 0;
  std::uint64_t total_micros = 0;  // of recursive calls the outermost one
  std::uint64_t self_micros = 0;
  std::uint64_t cpu_micros = 0;  // as total_micros; 0 unless MethodTrace::dual
};

// The sums of a method when called by one other method.
struct TracePath {
  std::int32_t caller = -1;  // an earlier one; -1: none
  TraceSum sum;
};

struct TraceSums {
  std::vector<TraceSum> methods;  // most self time first
  std::vector<TracePath> paths;   // of all threads, callers before what they called
  // Self us by thread and path.
  std::map<std::pair<std::uint16_t, std::int32_t>, std::uint64_t> stacks;
};

// What a person must know of the figures: how they were sampled, and what is missing. "": nothing.
std::string trace_notes(const MethodTrace& trace);

// Calls that have not ended count until the trace's end, or, when the buffer was full before, until
// their thread's last event: each thread fills its part of the buffer at a time of its own.
// Own time of the paths `left_out` (of the sums without it) is not counted, nor are calls that have
// no other.
TraceSums sums_of(const MethodTrace& trace, const std::set<std::int32_t>& left_out = {});

// "thread;outermost;...;innermost 15": a line of self us for each stack.
std::string collapsed_of(const MethodTrace& trace, const TraceSums& sums);

// As a report of time, for the page.
ReportData trace_report(const MethodTrace& trace, const TraceSums& sums, const TraceNames& names,
                        const HelloReply& hello, std::int64_t now_ms);

}  // namespace ddm
