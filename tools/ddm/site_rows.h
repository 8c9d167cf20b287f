// The rows of a table of allocations by class, site or thread: of one moment, or the difference of
// two.
#pragma once

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

// Why there are no rows of what is below a method, which may be misspelled.
std::string nothing_below_text(const std::string& what, const std::string& below);

// {class or thread, site, app, bytes, count}; of differences with what was before and after.
Json rows_json(const std::vector<SiteRow>& rows, RowsBy by, bool difference);

// kAges: how many collections half of the objects have survived. kRetained: retained sizes.
enum class Columns { kFigures, kDifference, kAges, kRetained };

// Prints the first `top` rows as a table; of differences also the last `top` negative ones.
void print_rows(const std::vector<SiteRow>& rows, RowsBy by, std::size_t top,
                Columns columns = Columns::kFigures);

}  // namespace ddm
