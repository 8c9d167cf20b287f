// What was allocated where, by names: as tables need it, whoever tells it. It comes from a target's
// list of sites, from the sites of a jsonl report, or from a report's data.
//
// Pure functions, but for read_figures_file().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "output.h"
#include "report/report.h"

namespace ddm {

// A member of an object; "" and 0 where it is not there, or is of another type.
std::string text_of(const Json& object, const char* name);
std::int64_t number_of(const Json& object, const char* name);

struct FrameName {
  std::string class_name;  // "" = no frame
  std::string method;
  std::string file;
  int line = kLineUnknown;
  bool known() const { return !class_name.empty() || !method.empty(); }
  friend auto operator<=>(const FrameName&, const FrameName&) = default;
};

// "a.b.Cls.method(Cls.java:12)" in so many columns; "(no Java frame)".
std::string frame_text(const FrameName& frame, std::size_t width = kNoWidth);

// Of a stack as in jsonl: the first frame outside the JDK, or what stands for it (jdk_classes.h).
FrameName first_outside_jdk(const Json& stack);

// Whether a line of a site has a frame of this method ("shop.Shop.serve", or its end: "serve").
bool stands_below(const Json& site, const std::string& method);

struct SiteFigure {
  std::string class_name;
  FrameName at;   // that allocates
  FrameName app;  // the first outside the JDK, or what stands for it
  std::int64_t bytes = 0;
  std::int64_t count = 0;
  LiveAges ages = {};         // of kLive
  std::int64_t retained = 0;  // of a heap dump
};

// What "live_ages" of a list says.
LiveAges ages_of(const Json& object);

struct ThreadFigure {
  std::int64_t id = 0;
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

struct SiteFigures {
  Json summary;  // as in jsonl; null when made of a report's data
  std::vector<SiteFigure> sites;
  std::vector<ThreadFigure> threads;

  std::int64_t bytes() const;
  std::int64_t count() const;
  // A figure of the summary; 0 where it is not there.
  std::int64_t fact(const char* name) const;
  bool of_whole_run() const { return summary.is_object() && summary.contains("sites"); }
};

// Of what is recorded.
SiteFigures recent_figures(const ReportData& data);

// Takes the lines of a list of sites, or of a jsonl report up to its records, in pieces.
class FigureReader {
 public:
  enum class Of { kAllocated, kLive };
  // `below`: only sites that stand below this method; "" all.
  explicit FigureReader(Of of = Of::kAllocated, std::string below = {})
      : of_(of), below_(std::move(below)) {}

  // False: no more is needed.
  bool take(std::string_view piece);
  // The error: what came is no such thing.
  Result<SiteFigures> finish();

 private:
  bool line(std::string_view text);

  const Of of_;
  const std::string below_;
  SiteFigures figures_;
  std::string rest_;
  bool done_ = false;
  std::string problem_;
};

// A jsonl report, or a list of sites.
Result<SiteFigures> read_figures_file(const std::string& path, const std::string& below = {});

}  // namespace ddm
