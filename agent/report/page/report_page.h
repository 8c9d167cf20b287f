// The parts of the page's data that report_html.cpp and report_html_time.cpp share. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "report/page/page_names.h"
#include "report/page/page_tree.h"
#include "report/report.h"
#include "report/report_names.h"

namespace ddm {

// Rows of each table of the page, by each of its figures.
inline constexpr std::size_t kPageRows = 50;

// The rows that are among the largest kPageRows by one of the figures, in their order.
template <typename Row>
std::vector<const Row*> page_rows(const std::vector<Row>& rows,
                                  std::initializer_list<std::int64_t Row::*> figures) {
  std::vector<bool> wanted(rows.size());
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(kPageRows, order.size()));
  for (const auto figure : figures) {
    std::partial_sort(order.begin(), end, order.end(), [&](std::size_t a, std::size_t b) {
      return rows[a].*figure != rows[b].*figure ? rows[a].*figure > rows[b].*figure : a < b;
    });
    for (auto at = order.begin(); at != end; ++at) wanted[*at] = true;
  }
  std::vector<const Row*> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (wanted[i]) chosen.push_back(&rows[i]);
  }
  return chosen;
}

// The page without its data, generated at build time from page.html, page.css and page_*.js.
extern const std::string_view kPageTemplate;
// The complete page with this data.
std::string page_of(std::string_view data);

// A source that the page can show: a tree and its totals.
struct PageSource {
  std::string name;
  std::string amount_name;  // JSON key of the amount; "": only counts
  std::int64_t amount = 0;
  std::int64_t count = 0;
  PageTree::With with = PageTree::With::kAmount;
  PageTree tree;
};

// ,"NAME":{"AMOUNT":,"count":,"nodes":,"tree":"..." without the end: more may follow.
void append_page_source(std::string& out, PageSource& source);

// The sources for times, samples and locks that have data.
std::vector<PageSource> page_time_sources(const TimeData& time, PageNames& names);
// The same with their tables.
void append_page_time(std::string& out, const TimeData& time, ReportNames& names,
                      std::vector<PageSource>& sources);

}  // namespace ddm
