// The rows of a table of allocations by class, site or thread: of one moment, or the difference of
// two; and what there is to say above it.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "output.h"
#include "site_figures.h"

namespace ddm {

enum class RowsBy { kClass, kSite, kApp, kThread };

// "class", "site", "app", "thread".
std::optional<RowsBy> rows_by(std::string_view word);

struct SiteRow {
  std::string what;  // class or thread
  FrameName at;      // of kSite
  FrameName app;     // of kSite and kApp; the one with most bytes
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  std::int64_t app_bytes = 0;
  std::int64_t bytes_before = 0;  // of differences
  std::int64_t count_before = 0;
  LiveAges ages = {};  // of live objects
  std::int64_t retained = 0;
  std::int64_t app_retained = 0;  // what the objects of `app` alone retain
};

// Most bytes first.
std::vector<SiteRow> rows_of(const SiteFigures& figures, RowsBy by);

// The differences of `after` and `before`, largest growth first; unchanged rows are left out.
// Exact: they are computed for each site before sites are summed to rows.
std::vector<SiteRow> rows_between(const SiteFigures& before, const SiteFigures& after, RowsBy by);

// Names in each row of kSite the first frame outside the JDK whose objects retain most. `parts`: the
// retained sizes of the same objects by class, allocating frame and that frame.
void name_retaining_apps(std::vector<SiteRow>& rows, const SiteFigures& parts);

// Why there are no rows of what is below a method, which may be misspelled. `cut_bytes`: of which
// that is not known.
std::string nothing_below_text(const std::string& what, const std::string& below,
                               std::int64_t cut_bytes = 0);
// That of so many bytes is_below() is not known.
std::string cut_below_text(std::int64_t bytes, const std::string& below);

// {class or thread, site, app, bytes, count}; of differences with what was before and after.
Json rows_json(const std::vector<SiteRow>& rows, RowsBy by, bool difference);

// kAges: how many collections half of the objects have survived. kRetained: retained sizes.
enum class Columns { kFigures, kDifference, kAges, kRetained };

// Prints the first `top` rows as a table; of differences also the last `top` negative ones.
void print_rows(const std::vector<SiteRow>& rows, RowsBy by, std::size_t top,
                Columns columns = Columns::kFigures);

// The period that the figures of a whole run cover, and whether they are estimates or lower bounds.
std::vector<std::string> run_notes(const SiteFigures& figures, bool tracking);

// "estimated from 812 samples: one sample every ..."; 0 samples: of unknown number.
std::string sampled_note(std::int64_t interval, std::int64_t samples);
// The same of figures of sites; "": exact. Of a part of the run the number of samples is not known.
std::string estimate_note(const SiteFigures& figures, bool of_whole_run);

// "FILE has lower bounds: ...", if the summary of a report says so; else "".
std::string lower_bounds_note(const std::string& path, const Json& summary);

// Of a ring file.
bool is_recovered(const SiteFigures& figures);

// "+1,234" with a sign, which a decrease has anyway.
std::string count_text(std::int64_t count, bool with_sign);

// Of rows by bytes, the largest first: the first `top`, and the last `top` of those that are less
// than nothing: what has grown most and what has shrunk most.
template <typename Row>
std::vector<const Row*> both_ends(const std::vector<Row>& rows, std::size_t top) {
  const auto less = [](const Row& row) { return row.bytes < 0; };
  const auto shrunk = static_cast<std::size_t>(std::ranges::count_if(rows, less));
  const std::size_t first = std::min(rows.size() - shrunk, top), last = std::min(shrunk, top);
  std::vector<const Row*> shown;
  for (std::size_t i = 0; i < first; ++i) shown.push_back(&rows[i]);
  for (std::size_t i = rows.size() - last; i < rows.size(); ++i) shown.push_back(&rows[i]);
  return shown;
}

}  // namespace ddm
