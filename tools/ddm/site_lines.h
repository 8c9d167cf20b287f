// Whether all sites of a jsonl report were read: its summary says how many there are. A file that
// was cut at the end of a line shows it in no other way. Not for REPT `live`, which leaves sites out.
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
  void summary(const Json& line) { expected_ = number_of(line, "sites"); }
  // A list of sums (REPT `sites`) has fewer lines than there are sites, and no stacks in them.
  void site(const Json& line) {
    ++read_;
    sums_ = sums_ || !line.contains("stack");
  }

  // The error: some are missing.
  std::optional<Error> check() const {
    if (read_ >= expected_ || (sums_ && read_ > 0)) return {};
    return Error{
        fmt::format("it is cut: {} of its {} sites are there", grouped(read_), grouped(expected_))};
  }

 private:
  std::int64_t expected_ = 0, read_ = 0;
  bool sums_ = false;
};

}  // namespace ddm
