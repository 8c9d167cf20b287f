#include "allocs_tables.h"

#include "json_values.h"
#include "report/report_words.h"

namespace ddm {
namespace {

std::string recent_note(std::int64_t count, std::int64_t bytes, const std::string& why) {
  return fmt::format("{}, {} recorded: the recent ones{}", counted(count, "allocation"),
                     human_bytes(bytes), why.empty() ? "" : ". " + why);
}

}  // namespace

RowsBy rows_asked(const AllocsOptions& options) { return *rows_by(options.by); }

int show_table(const AllocsOptions& options, const std::vector<SiteRow>& rows,
               const std::vector<std::string>& notes, Columns columns) {
  const RowsBy by = rows_asked(options);
  if (options.json) return print_json(rows_json(rows, by, columns == Columns::kDifference));
  print_rows(rows, by, options.top, columns);
  for (const std::string& line : notes) {
    print(wrapped(line, 0, std::min<std::size_t>(output_width(), kColumns)) + "\n");
  }
  return kExitOk;
}

int show_recent(const AllocsOptions& options, const SiteFigures& figures, const std::string& why) {
  const std::vector<SiteRow> rows = rows_of(figures, rows_asked(options));
  std::vector<std::string> notes{
      recent_note(sum_of(rows, &SiteRow::count), sum_of(rows, &SiteRow::bytes), why)};
  if (const std::int64_t interval = figures.fact("interval"); interval > 0) {
    notes.push_back(sampled_note(interval, figures.fact("recorded")));
  }
  return show_table(options, rows, notes);
}

std::string cut_note(const AllocsOptions& options, const SiteFigures& figures) {
  return cut_below_text(figures.cut_bytes,
                        options.below.empty() ? text_of(figures.summary, "below") : options.below);
}

bool lacks_below(const AllocsOptions& options, const SiteFigures& figures) {
  return !options.below.empty() && figures.sites.empty();
}

Result<SiteFigures> read_whole_run(const std::string& path, const std::string& below) {
  auto figures = read_figures_file(path, below);
  if (!figures || figures->covers_whole_run()) return figures;
  if (text_of(figures->summary, "engine") == kEngineMalloc) {
    return Error{path + " is of native memory, which `ddm native` shows"};
  }
  const bool records = figures->fact("recorded") > 0;
  return Error{path + " has no figures of a whole run: " + why_no_sites(figures->summary) +
               (records ? "; --recent shows its records" : "")};
}

int show_whole_run(const AllocsOptions& options, const SiteFigures& figures,
                   const std::string& what, bool tracking) {
  if (lacks_below(options, figures)) {
    return refuse(nothing_below_text(what, options.below, figures.cut_bytes));
  }
  auto notes = run_notes(figures, tracking);
  if (!options.below.empty()) {  // the sums of the sites in the table
    notes.push_back(fmt::format("{} of these allocations, {}, came below {}",
                                grouped(figures.count()), human_bytes(figures.bytes()),
                                options.below));
  }
  if (figures.cut_bytes > 0) notes.push_back(cut_note(options, figures));
  return show_table(options, rows_of(figures, rows_asked(options)), notes);
}

}  // namespace ddm
