#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "report/hprof/hprof_numbers.h"
#include "report/hprof/hprof_sites.h"
#include "report_sample.h"

namespace ddm {
namespace {

struct Row {
  int rank;
  double self, accum;
  std::int64_t live_bytes, live_count, bytes, count;
  int trace;
  std::string type;
};

struct HprofText {
  std::map<int, std::vector<std::string>> traces;
  std::string order;
  std::vector<Row> rows;
};

HprofText parsed_text(const std::string& text) {
  HprofText result;
  std::istringstream lines(text);
  std::string line;
  REQUIRE(std::getline(lines, line));
  REQUIRE(line.rfind("JAVA PROFILE 1.0.1, created ", 0) == 0);
  while (line != "--------") REQUIRE(std::getline(lines, line));
  bool in_sites = false;
  int trace = 0;
  while (std::getline(lines, line)) {
    if (std::sscanf(line.c_str(), "TRACE %d:", &trace) == 1) {
      REQUIRE(result.traces.count(trace) == 0);
      result.traces[trace];
    } else if (line[0] == '\t') {
      result.traces.at(trace).push_back(line.substr(1));
    } else if (line.rfind("SITES BEGIN (ordered by ", 0) == 0) {
      result.order = line.substr(24, line.find(' ', 24) - 24);
      in_sites = true;
    } else if (line == "SITES END") {
      in_sites = false;
    } else if (in_sites && line.find('%') != std::string::npos) {
      std::istringstream words(line);
      Row row;
      char percent;
      words >> row.rank >> row.self >> percent >> row.accum >> percent >> row.live_bytes >>
          row.live_count >> row.bytes >> row.count >> row.trace >> row.type;
      REQUIRE(words);
      REQUIRE(result.traces.count(row.trace) == 1);
      result.rows.push_back(row);
    }
  }
  REQUIRE_FALSE(in_sites);
  return result;
}

// Three sites of 4.7 GB, 200 bytes and 40 bytes, counted over the run.
struct SitesSample : ReportSample {
  SitesSample() {
    const Frame make = frame("a.Maker", "make", "Maker.java", 12);
    const Frame other = frame("a.Maker", "make", "Maker.java", 13);
    const Frame main = frame("a.Main", "main", "", kLineUnknown);
    const Frame native = frame("java.lang.Object", "clone", "Object.java", kLineNative);
    auto sites = Sites::create(64, 8);
    const auto count = [&](const std::string& type, const std::vector<Frame>& frames,
                           std::int64_t size, double weight) {
      const TraceNumber trace = sites->traces().number_of(frames);
      sites->count({names.add_class(type), trace, size, weight});
    };
    count("long[]", {make, main}, 64 << 20, 70);
    count("a.B[][]", {native, other, main}, 20, 10);
    count("a.C", {}, 40, 1);
    const auto sums = [&] {
      const auto held = sites->hold();
      return sites->sums();
    }();
    data.sites = SiteSet(sites, sums, {}, 81, 70 * (std::int64_t{64} << 20) + 240);
    data.summary.engine = "vm";
  }
};

}  // namespace

TEST_CASE("hprof's text has each stack once and true figures beyond 32 bits") {
  SitesSample sample;
  const HprofText text = parsed_text(whole_report(ReportFormat::kHprofText, sample.data));
  CHECK(text.order == "allocated");  // what is alive is not known
  REQUIRE(text.rows.size() == 3);
  CHECK(text.rows[0].type == "long[]");
  CHECK(text.rows[0].bytes == 4697620480);
  CHECK(text.rows[0].count == 70);
  CHECK(text.rows[0].rank == 1);
  CHECK(text.rows[0].self == Approx(100));
  CHECK(text.traces.at(text.rows[0].trace) ==
        std::vector<std::string>{"a.Maker.make(Maker.java:12)",
                                 "a.Main.main(<Unknown Source>:Unknown line)"});
  CHECK(text.rows[1].type == "a.B[][]");
  CHECK(text.rows[1].bytes == 200);
  CHECK(text.traces.at(text.rows[1].trace)[0] ==
        "java.lang.Object.clone(Object.java:Native method)");
  CHECK(text.rows[2].type == "a.C");
  CHECK(text.traces.at(text.rows[2].trace) == std::vector<std::string>{"<empty>"});
}

TEST_CASE("hprof's text is about the records where sites were not counted") {
  const auto sample = small_sample();
  const HprofText text = parsed_text(whole_report(ReportFormat::kHprofText, sample->data));
  REQUIRE(text.rows.size() == 3);
  CHECK(text.rows[0].type == "byte[]");
  CHECK(text.rows[0].bytes == 128);
  CHECK(text.rows[0].count == 2);
  CHECK(text.rows[1].type == "int[][]");
  const std::string whole = whole_report(ReportFormat::kHprofText, sample->data);
  CHECK(whole.find("THREAD START (obj=0, id = 200002, name=\"worker\", group=\"\")\n") !=
        std::string::npos);
}

TEST_CASE("hprof's text survives names that would break its lines") {
  const HprofText text =
      parsed_text(whole_report(ReportFormat::kHprofText, hostile_sample()->data));
  REQUIRE(text.rows.size() == 1);
  CHECK(text.traces.at(text.rows[0].trace).size() == 3);
}

TEST_CASE("Sites of hprof's view are cut to its depth, its lines and its cutoff") {
  SitesSample sample;
  ReportNames names(&sample.names);
  HprofView view;
  view.depth = 0;
  const HprofSites flat(sample.data, names, view);
  REQUIRE(flat.list().size() == 3);
  CHECK(flat.stack(flat.list()[0]).empty());
  view = {};
  view.lines = false;
  const HprofSites no_lines(sample.data, names, view);
  REQUIRE(no_lines.stack(no_lines.list()[0]).size() == 2);
  CHECK(no_lines.stack(no_lines.list()[0])[0].line == kLineUnknown);
  view = {};
  view.cutoff = 0.0001;
  const HprofSites large(sample.data, names, view);
  REQUIRE(large.list().size() == 1);
  CHECK(large.totals().count == 81);
  CHECK(large.share(large.list()[0]) == Approx(1));
}

TEST_CASE("Stacks that look alike are one site once their lines are gone") {
  ReportSample sample;
  const NameId method =
      sample.names.add_method({"a.B", "m", "()V", "B.java", false, {{0, 1}, {4, 2}}});
  sample.add("a.C", 16, 1, {{method, 0}});
  sample.add("a.C", 16, 1, {{method, 5}});
  ReportNames names(&sample.names);
  CHECK(HprofSites(sample.data, names, {}).list().size() == 2);
  HprofView view;
  view.lines = false;
  const HprofSites merged(sample.data, names, view);
  REQUIRE(merged.list().size() == 1);
  CHECK(merged.list()[0].bytes == 32);
}

TEST_CASE("What an hprof stream knows keeps its number") {
  HprofNumbers numbers;
  const std::vector<HprofFrame> one = {{1, 2}}, two = {{1, 3}};
  CHECK(numbers.trace({}).value == 300000);
  CHECK(numbers.trace(one).value == 300001);
  CHECK(numbers.trace(two).fresh);
  CHECK_FALSE(numbers.trace(one).fresh);
  CHECK(numbers.trace(two).value == 300002);
  CHECK(numbers.type("a.B").value == 100001);
  CHECK_FALSE(numbers.trace({}).fresh);
}

}  // namespace ddm
