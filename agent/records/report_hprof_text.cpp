// The report in hprof's text: every site there is, without a cutoff.
#include <fmt/format.h>

#include <map>
#include <string>

#include "records/hprof_numbers.h"
#include "records/hprof_sites.h"
#include "records/hprof_text.h"
#include "records/report.h"

namespace ddm {
namespace {

constexpr std::string_view kExplained =
    "This text has the layout of hprof. Each site is a class and the stack that\n"
    "allocated it, innermost method first; the stacks are the TRACEs, and the table\n"
    "of the sites (SITES) names them by their numbers. \"alloc'ed\" is everything\n"
    "since recording began, \"live\" what of it is still there; \"self\" is a site's share\n"
    "of what the table is ordered by.\n\n";

std::string live_words(const ReportSummary& summary) {
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
  const HprofSites sites(data, names, {});
  HprofNumbers numbers;
  std::string explained(kExplained);
  explained += hprof_explanation(data.summary) + live_words(data.summary);
  if (!sink(hprof_text_head(data.summary.written_ms, explained) + thread_starts(data))) return;
  hprof_text_sites(sites, names, numbers, data.summary.written_ms, sink);
}

}  // namespace ddm
