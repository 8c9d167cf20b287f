#include "run_notes.h"

#include <utility>

#include "report/report.h"
#include "report/report_words.h"

namespace ddm {
namespace {

bool is_lower_bound(const Json& summary) { return summary.contains("seen_at_least"); }

}  // namespace

std::string sampled_note(std::int64_t interval, std::int64_t samples) {
  ReportSummary summary;
  summary.interval = interval;
  return fmt::format("estimated{}: {}",
                     samples > 0 ? fmt::format(" from {} samples", grouped(samples)) : "",
                     sampling_words(summary));
}

std::string estimate_note(const SiteFigures& figures, bool of_whole_run) {
  const std::int64_t interval = figures.fact("interval");
  if (interval <= 0) return "";
  return sampled_note(interval, of_whole_run ? figures.fact("samples") : 0);
}

bool is_recovered(const SiteFigures& figures) { return figures.summary.contains("recovered"); }

std::vector<std::string> run_notes(const SiteFigures& figures, bool tracking) {
  std::vector<std::string> notes;
  if (figures.fact("period") == 0 && !is_recovered(figures)) {
    notes.emplace_back("Nothing is counted yet: tracking is off; `ddm track PID on` starts it.");
    return notes;
  }
  notes.push_back(fmt::format(
      "{}{} allocations, {} in the whole run: {} of tracking{}",
      is_lower_bound(figures.summary) ? "at least " : "", grouped(figures.fact("seen")),
      human_bytes(figures.fact("seen_bytes")), human_duration(figures.fact("tracked_ms")),
      tracking ? "" : ", which is off now"));
  if (const std::int64_t missing = figures.fact("unattributed_bytes"); missing > 0) {
    notes.push_back(
        fmt::format("{} more, which the VM has counted, were not seen", human_bytes(missing)));
  }
  if (auto note = estimate_note(figures, true); !note.empty()) notes.push_back(std::move(note));
  return notes;
}

std::string lower_bounds_note(const std::string& path, const Json& summary) {
  return is_lower_bound(summary) ? fmt::format("{} has {}", path, kLowerBounds) : "";
}

}  // namespace ddm
