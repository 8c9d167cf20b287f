// The report in hprof's text: all sites and stacks, without a cutoff.
#include <fmt/format.h>

#include <map>
#include <string>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "report/hprof/hprof_text.h"
#include "report/report.h"
#include "report/report_time.h"

namespace ddm {
namespace {

constexpr std::string_view kExplained =
    "This text has the layout of hprof. Each site is a class and the stack that\n"
    "allocated it, innermost method first; the stacks are the TRACEs, and the table\n"
    "of the sites (SITES) names them by their numbers. \"alloc'ed\" is everything\n"
    "since recording began, \"live\" what of it is still there; \"self\" is a site's share\n"
    "of what the table is ordered by.\n\n";

constexpr std::string_view kTimeExplained =
    "This text has the layout of hprof. CPU SAMPLES are stacks that were met running,\n"
    "each for one interval of CPU, or with cpu=wall met anywhere, each for one of\n"
    "elapsed time; CPU TIME are the calls of timed methods and the time in the method\n"
    "itself, under the timed methods that called it; MONITOR TIME is waiting to enter\n"
    "synchronized code. The stacks are the TRACEs, innermost method first.\n\n";

std::string live_words(const ReportSummary& summary) {
  if (summary.engine == kEngineMalloc) {
    return "Of native memory only what is not freed is known: \"alloc'ed\" is that, and the live\n"
           "columns are 0.\n\n";
  }
  if (!summary.live) {
    return "What is still alive was not followed, so the live columns are 0 and the sites\n"
           "are ordered by what was allocated. live=y among the agent's options follows it.\n\n";
  }
  std::string out = fmt::format(
      "Live is what garbage collection {} has not found dead, and what was allocated\n"
      "after it.\n",
      summary.live->gc);
  if (summary.live_is_estimated()) out += "The live figures are estimates.\n";
  return out + '\n';
}

std::string thread_starts(const ReportData& data) {
  std::map<std::int64_t, std::string> names = data.thread_names;
  for (const ThreadBytes& thread : data.summary.threads) {
    names.emplace(thread.thread_id, thread.name);
  }
  std::string out;
  for (const auto& [id, name] : names) {
    if (id > 0) out += hprof_thread_start(id, name, "");
  }
  return out;
}

}  // namespace

void hprof_text_report(const ReportData& data, const ReportSink& sink) {
  ReportNames names(data.names);
  HprofNumbers numbers;
  const std::int64_t now = data.summary.written_ms;
  const bool sites = !has_time_only(data);
  std::string explained(sites ? kExplained : "");
  if (has_time_only(data) || !data.time.empty()) explained += kTimeExplained;
  explained += hprof_explanation(data.summary);
  if (sites) explained += live_words(data.summary);
  if (!sink(hprof_text_head(now, explained) + thread_starts(data))) return;
  if (sites) hprof_text_sites(HprofSites(data, names, {}), names, numbers, now, sink);
  std::string time;
  if (data.time.sampler) {
    time += hprof_text_costs(HprofTable::kSamples, HprofCosts::samples(data.time, names, {}), names,
                             numbers, now);
  }
  if (!data.time.methods.empty()) {
    time +=
        hprof_text_costs(HprofTable::kTimes, HprofCosts::times(data.time, {}), names, numbers, now);
  }
  if (data.time.monitor_on) {
    time += hprof_text_costs(HprofTable::kMonitors, HprofCosts::monitors(data.time, names, {}),
                             names, numbers, now);
  }
  if (!time.empty()) sink(time);
}

}  // namespace ddm
