// ddm allocs --diff, --since -o x.html: two reports as one page, with the figures of each stack
// before and after. A report is a page (.html), which has every stack, or .jsonl or .sites.jsonl,
// whose smallest sites may lack the middle of their stacks.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "json_values.h"
#include "report/page/page_tree.h"
#include "report/report.h"
#include "site_lines.h"

namespace ddm {

class DifferencePage {
 public:
  enum Side { kBefore, kAfter };

  DifferencePage();
  // Adds the figures of a report's whole run; the error says what is wrong with the report.
  std::optional<Error> add_file(const std::string& path, Side side);
  std::optional<Error> add_page(std::string_view page, Side side);
  // Adds the figures of its records.
  void add_records(const ReportData& data, Side side);

  // To be called after both sides are added. `caption`: names what is compared.
  std::string html(const std::string& caption);

  const Json& summary(Side side) const { return sides_[side].summary; }

 private:
  struct OneSide {
    Json summary;
    std::int64_t bytes = 0, count = 0;
    SiteLines site_lines;
  };
  void add(std::int64_t bytes, std::int64_t count, Side side);
  std::optional<Error> add_line(const Json& line, Side side);

  ReportNames no_names_;
  PageNames names_;
  PageTree tree_;
  std::vector<PageNames::Name> path_;  // of the stack that is being added, from the root on
  std::array<OneSide, 2> sides_;
};

}  // namespace ddm
