// The recent records of a jsonl report, summed like those of a program (ddm allocs FILE --recent).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/result.h"
#include "site_figures.h"
#include "text_pieces.h"

namespace ddm {

// Sums the records of a report, piece by piece. Pure.
class RecordReader {
 public:
  // False: no more data is needed; it is then ignored.
  bool feed(std::string_view piece);
  // By site and by thread. The error: the data is no report, was cut, or has no records.
  Result<SiteFigures> finish();

 private:
  // Sums of weighted figures, rounded at the end, as a report's (WeightedSum).
  struct Sum {
    double bytes = 0, count = 0;
  };

  bool line(std::string_view text);
  void record(const Json& object);

  Json summary_;
  std::map<std::tuple<std::string, FrameName, FrameName>, Sum> sites_;
  std::map<std::pair<std::int64_t, std::string>, Sum> threads_;
  std::int64_t records_ = 0;
  LineSplitter lines_;
  std::string problem_;
};

Result<SiteFigures> read_recent_file(const std::string& path);

}  // namespace ddm
