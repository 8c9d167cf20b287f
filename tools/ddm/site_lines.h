// Whether all sites of a jsonl report were read. A file that was cut at the end of a line shows it in
// its sums only: where there are very many stacks a whole report has fewer lines than sites, and
// every allocation is in one of them. Not for REPT `live`, which leaves sites out.
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
  void summary(const Json& line) {
    sites_ = number_of(line, "sites");
    // Figures of recovered runs are lower bounds each by itself.
    if (!line.contains("seen_at_least")) seen_ = number_of(line, "seen");
    estimated_ = number_of(line, "interval") > 0;
  }
  // A list of sums (REPT `sites`) has no stacks.
  void site(const Json& line) {
    ++lines_;
    count_ += number_of(line, "count");
    sums_ = sums_ || !line.contains("stack");
  }

  // The error: some are missing.
  std::optional<Error> check() const {
    const std::int64_t rounding = estimated_ ? lines_ : 0;  // each line is rounded by itself
    if (lines_ >= sites_ || count_ + rounding >= seen_ || (sums_ && lines_ > 0)) return {};
    return Error{fmt::format("it is cut: sites of {} of its {} allocations are there",
                             grouped(count_), grouped(seen_))};
  }

 private:
  std::int64_t sites_ = 0, seen_ = 0, lines_ = 0, count_ = 0;
  bool sums_ = false, estimated_ = false;
};

}  // namespace ddm
