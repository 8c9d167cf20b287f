// Allocations by site, with names, as tables need them: from a target's list of sites, from the
// sites or the records of a jsonl report, or from a report's data.
//
// Pure functions, but for those that read files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/result.h"
#include "json_values.h"
#include "report/report.h"
#include "site_lines.h"
#include "text_pieces.h"

namespace ddm {

struct FrameName {
  std::string class_name;  // "" = no frame
  std::string method;
  std::string file;
  int line = kLineUnknown;
  bool known() const { return !class_name.empty() || !method.empty(); }
  friend auto operator<=>(const FrameName&, const FrameName&) = default;
};

// Of jsonl.
FrameName frame_of(const Json& frame);

// "a.b.Cls.method(Cls.java:12)" in so many columns; "(no Java frame)".
std::string frame_text(const FrameName& frame, std::size_t width = kNoWidth);

// The first frame outside the JDK of a stack as in jsonl, or its substitute (jdk_classes.h).
FrameName first_outside_jdk(const Json& stack);

// Classes that the VM makes up (lambdas, method handles, proxies) have another number in each run,
// and the methods of lambdas one that depends on those above: "Shop$$Lambda$14/0x00007f01" is
// "Shop$$Lambda", "jdk.proxy2.$Proxy7" is "jdk.proxy.$Proxy", "Shop.lambda$serve$3" is
// "Shop.lambda$serve".
std::string without_number(std::string name);

// Whether the stack of a site (a line of jsonl) has a frame of this method ("shop.Shop.serve", or
// its end: "serve"). None: it has not, but its outer frames are cut.
std::optional<bool> is_below(const Json& site, const std::string& method);

// Why a report has no figures of the whole run, by its summary.
std::string why_no_sites(const Json& summary);

struct SiteFigure {
  std::string class_name;
  FrameName at;   // the allocating frame
  FrameName app;  // first_outside_jdk()
  std::int64_t bytes = 0, count = 0;
  LiveAges ages = {};         // of what is alive, with live=
  std::int64_t retained = 0;  // of a heap dump
};

// Of a record: how many allocations it stands for.
float weight_of(const Json& record);
// Whether the stack of a line had more frames.
bool is_cut(const Json& line);

// Sets `at` and `app` by a stack as in jsonl, if it has frames.
void name_by_stack(SiteFigure& site, const Json& stack);

// The member "live_ages" of a site.
LiveAges ages_of(const Json& object);

struct ThreadFigure {
  std::int64_t id = 0;
  std::string name;
  std::int64_t bytes = 0, count = 0;
};

template <typename Row>
std::int64_t sum_of(const std::vector<Row>& rows, std::int64_t Row::*figure) {
  std::int64_t sum = 0;
  for (const Row& row : rows) sum += row.*figure;
  return sum;
}

struct SiteFigures {
  Json summary;  // as in jsonl; null when made of a report's data
  std::vector<SiteFigure> sites;
  std::vector<ThreadFigure> threads;
  std::vector<Json> monitors;   // the lines of waits for locks
  std::int64_t time_lines = 0;  // these and the others of time
  std::int64_t cut_bytes = 0;   // perhaps below a method: left out here or from the report

  std::int64_t bytes() const { return sum_of(sites, &SiteFigure::bytes); }
  std::int64_t count() const { return sum_of(sites, &SiteFigure::count); }
  // A figure of the summary; 0 if it is missing.
  std::int64_t fact(const char* name) const;
  bool covers_whole_run() const { return summary.is_object() && summary.contains("sites"); }
};

// The figures of the whole run, if it was counted, else those of the recorded allocations.
SiteFigures figures_of(const ReportData& data);

// How a record of a jsonl report begins. Records come last and are the most of it.
inline constexpr std::string_view kRecordLine = R"({"type":"record")";

// Parses a list of sites or a jsonl report, piece by piece; of its records only those of kRecorded.
class FigureReader {
 public:
  enum class Objects { kAllocated, kLive, kRecorded };
  // `below`: only sites whose stack has a frame of this method; "": all.
  explicit FigureReader(Objects of = Objects::kAllocated, std::string below = {})
      : objects_(of), below_(std::move(below)) {}

  // False: no more data is needed; it is then ignored.
  bool feed(std::string_view piece);
  // The error: the data is neither, was cut, or is of several reports.
  Result<SiteFigures> finish();

 private:
  // Sums of weighted figures, rounded at the end, as a report's (WeightedSum).
  struct Sum {
    double bytes = 0, count = 0;
  };

  bool line(std::string_view text);
  void record(const Json& object);

  const Objects objects_;
  const std::string below_;
  SiteFigures figures_;
  LineSplitter lines_;
  SiteLines site_lines_;
  std::string problem_;
  std::map<std::tuple<std::string, FrameName, FrameName>, Sum> recorded_sites_;
  std::map<std::pair<std::int64_t, std::string>, Sum> recorded_threads_;
  std::int64_t records_ = 0;
};

bool is_file(const std::string& path);
// Whether what stands where a program could is the file of a jsonl report.
bool is_saved_report(const std::string& target);
// Why there is no such program: it is no program but a file, or `problem`.
std::string no_target_text(const std::string& target, const std::string& problem);

// A jsonl report, or a list of sites.
Result<SiteFigures> read_figures_file(const std::string& path, const std::string& below = {});
// Its live objects, of the sites that have some.
Result<SiteFigures> read_live_file(const std::string& path);
// Its records, by site and by thread.
Result<SiteFigures> read_recent_file(const std::string& path);

}  // namespace ddm
