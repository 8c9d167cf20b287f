// hprof's text, section by section; figures have 64 bits, where hprof's had 32.
//
//   JAVA PROFILE 1.0.1, created DATE       head(): explanations up to a line of dashes
//   THREAD START (obj=0, id = N, name="main", group="main")        THREAD END (id = N)
//   TRACE N:                               each stack once, before the first site that has it
//   <tab>a.B.method(B.java:12)
//   SITES BEGIN (ordered by live bytes) DATE ... SITES END
//   CPU SAMPLES BEGIN (total = N) DATE ... CPU SAMPLES END
//   CPU TIME (ms) BEGIN (total = N) DATE ... CPU TIME (ms) END
//   MONITOR TIME BEGIN (total = N ms) DATE ... MONITOR TIME END
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "report/report.h"

namespace ddm {

// `explained`: whole lines.
std::string hprof_text_head(std::int64_t created_ms, std::string_view explained);

// Explains the report's figures, as lines for the head.
std::string hprof_explanation(const ReportSummary& summary);

// One line each.
std::string hprof_thread_start(std::int64_t id, std::string_view name, std::string_view group);
std::string hprof_thread_end(std::int64_t id);

void hprof_text_sites(const HprofSites& sites, ReportNames& names, HprofNumbers& numbers,
                      std::int64_t written_ms, const ReportSink& sink);

// A stack that is new in the stream.
void hprof_text_trace(std::span<const HprofFrame> stack, std::int64_t thread, ReportNames& names,
                      HprofNumbers& numbers, std::string& out);

// CPU SAMPLES, CPU TIME or MONITOR TIME, preceded by the stacks that it refers to and that are
// not in the stream yet.
std::string hprof_text_costs(const TimeStacks& stacks, ReportNames& names, const HprofView& view,
                             HprofNumbers& numbers, std::int64_t written_ms);
// cpu=old: lines of calls, callee, caller and milliseconds.
std::string hprof_text_callers(const TimeStacks& stacks, ReportNames& names, const HprofView& view);

// "Mon Nov 22 07:36:38 2026", of local time.
std::string hprof_date(std::int64_t ms_since_epoch);

}  // namespace ddm
