// Whether all sites of a jsonl report were read, and of one report. Its summary tells how many lines
// of sites follow. One of an earlier version does not: a file that was cut at the end of a line then
// shows it in its sums only, for where there are very many stacks a whole report has fewer lines
// than sites, and every allocation is in one of them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>

#include "core/result.h"
#include "json_values.h"
#include "report/report_words.h"

namespace ddm {

class SiteLines {
 public:
  // The error: there was one before.
  std::optional<Error> summary(const Json& line) {
    if (has_summary_) return Error{"a second report begins in it"};
    has_summary_ = true;
    sites_ = number_of(line, "sites");
    if (line.contains("site_lines")) told_ = number_of(line, "site_lines");
    // Figures of recovered runs are lower bounds each by itself.
    if (!line.contains("seen_at_least")) seen_ = number_of(line, "seen");
    estimated_ = number_of(line, "interval") > 0;
    return {};
  }
  // A list of sums (REPT `sites`) has no stacks.
  void site(const Json& line) {
    ++lines_;
    count_ += number_of(line, "count");
    sums_ = sums_ || !line.contains("stack");
  }

  // Whether the summary tells how many lines there are.
  bool told() const { return told_.has_value(); }

  // The error: some are missing. Unless they are told() not for REPT `live`, which leaves sites out.
  std::optional<Error> check() const {
    if (told_ && lines_ != *told_) {
      return Error{fmt::format("it is {}: it has {} of its {} lines of sites",
                               lines_ < *told_ ? "cut" : "damaged", grouped(lines_),
                               grouped(*told_))};
    }
    const std::int64_t rounding = estimated_ ? lines_ : 0;  // each line is rounded by itself
    if (told_ || lines_ >= sites_ || count_ + rounding >= seen_ || (sums_ && lines_ > 0)) return {};
    return Error{fmt::format("it is cut: sites of {} of its {} allocations are there",
                             grouped(count_), grouped(seen_))};
  }

 private:
  std::optional<std::int64_t> told_;
  std::int64_t sites_ = 0, seen_ = 0, lines_ = 0, count_ = 0;
  bool has_summary_ = false, sums_ = false, estimated_ = false;
};

}  // namespace ddm
