// Tables and trees of the whole run.
#include <fmt/core.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "page_stacks.h"
#include "report/report_sites.h"
#include "report/report_words.h"
#include "report_sample.h"

using nlohmann::json;

namespace ddm {
namespace {

// 100 allocations of 8,000 bytes by app code through the JDK, one of 8 bytes by the JDK alone.
struct RunSample : ReportSample {
  std::shared_ptr<Sites> sites = Sites::create(64, 8);

  RunSample() {
    const Frame copy = frame("java.util.Arrays", "copyOf", "Arrays.java", 10);
    const Frame grow = frame("jdk.internal.Buffer", "grow", "Buffer.java", 20);
    const Frame serve = frame("shop.Shop", "serve", "Shop.java", 30);
    const Frame other = frame("java.lang.Thread", "exit", "Thread.java", 40);
    count("byte[]", {copy, grow, serve}, 8000, 100);
    count("int[]", {other}, 8, 1);
    take();
  }

  // What is counted is what was seen.
  void take() {
    const auto held = sites->hold();
    const SiteReadings sums = sites->sums();
    double seen = 0, bytes = 0;
    for (const SiteSum& one : sums.sums) {
      seen += one.count;
      bytes += one.bytes;
    }
    data.summary.seen = std::llround(seen);
    data.summary.seen_bytes = std::llround(bytes);
    data.sites = SiteSet(sites, sums, {}, data.summary.seen, data.summary.seen_bytes);
  }

  void count(const std::string& type, const std::vector<Frame>& frames, std::int64_t size,
             double weight) {
    const TraceNumber trace = sites->traces().number_of(frames);
    sites->count({names.add_class(type), trace, size, weight});
  }
};

TEST_CASE(
    "The whole run's sites are named by what allocates, or by the first frame of the program") {
  RunSample sample;
  ReportNames names(&sample.names);
  auto top = top_sites(sites_of(sample.data, names), SiteOrder::kBytes, 1);
  REQUIRE(top.size() == 1);
  CHECK(names.method(top[0].at.method).qualified == "java.util.Arrays.copyOf");
  CHECK(top[0].bytes == 800'000);
  CHECK(top[0].count == 100);
  auto app = top_sites(sites_of(sample.data, names, SiteFrame::kApp), SiteOrder::kBytes, 2);
  REQUIRE(app.size() == 2);
  CHECK(names.method(app[0].app.method).qualified == "shop.Shop.serve");
  CHECK(app[0].app.line == 30);
  CHECK(names.method(app[1].app.method).qualified ==
        "java.lang.Thread.exit");  // nothing but the JDK
}

// A field's initial value is made in each constructor, at the line of the field.
TEST_CASE("Overloads that allocate at one line are one site, as they look alike") {
  RunSample sample;
  for (const char* signature : {"()V", "(I)V"}) {
    MethodName name{"shop.Till", "<init>", signature, "Till.java", false, {}};
    name.lines = {{0, 12}};
    sample.count("shop.Key", {{sample.names.add_method(std::move(name)), 5}}, 16, 2);
  }
  sample.take();
  ReportNames names(&sample.names);
  const auto till = [&](const AllocSite& site) {
    return names.class_name(site.class_id) == "shop.Key";
  };
  for (const SiteFrame by : {SiteFrame::kAllocating, SiteFrame::kApp, SiteFrame::kBoth}) {
    const std::vector<AllocSite> sites = sites_of(sample.data, names, by);
    REQUIRE(std::ranges::count_if(sites, till) == 1);
    CHECK(std::ranges::find_if(sites, till)->count == 4);
    CHECK(std::ranges::find_if(sites, till)->bytes == 64);
  }
}

TEST_CASE("Reports say how much was counted by shortened stacks") {
  RunSample sample;
  const auto has = [&](ReportFormat format, std::string_view words) {
    return whole_report(format, sample.data).find(words) != std::string::npos;
  };
  CHECK(!has(ReportFormat::kText, "shortened"));
  CHECK(has(ReportFormat::kJsonl, "\"sites_shortened\":0,"));
  std::vector<Frame> frames;
  for (int i = 0; i < 6; ++i) frames.push_back(sample.frame("shop.Shop", "pay", "Shop.java", i));
  for (int i = 0; i < 150; ++i) {
    frames[4] = sample.frame("shop.Till", "open", "Till.java", 100 + i);
    sample.count("long[]", frames, 24, 1);
  }
  sample.take();
  std::int64_t shortened = 0;
  SiteSet::FrameBuffer buffer;
  for (const Site& site : sample.data.sites.list()) {
    const auto shown = sample.data.sites.frames(site, buffer);
    if (shown.size() > 1 && shown[1].method == kLeftOutName) shortened += site.count;
  }
  CHECK(shortened > 0);
  CHECK(shortened < 150);
  CHECK(sample.data.sites.shortened() == shortened);
  const std::string line =
      fmt::format("{:<18}{:>15} allocations {}\n", "shortened", shortened, kOfSeldomStacks);
  CHECK(has(ReportFormat::kText, "\n" + line));
  CHECK(has(ReportFormat::kJsonl, fmt::format("\"sites_shortened\":{},", shortened)));
  sample.add("long[]", 24, 1, frames);
  CHECK(summary_report(sample.data)
            .find(fmt::format("{:>15} allocations {}\n", shortened, kOfSeldomStacks)) !=
        std::string::npos);
}

TEST_CASE("A site in a table says who allocates, and for which frame of the program mostly") {
  RunSample sample;
  ReportNames names(&sample.names);
  AllocSite site = top_sites(sites_of(sample.data, names), SiteOrder::kBytes, 1)[0];
  CHECK(site_lines(site, names, 80) ==
        std::vector<std::string>{"    at java.util.Arrays.copyOf(Arrays.java:10)",
                                 "    from shop.Shop.serve(Shop.java:30)"});
  site.app_bytes /= 2;
  CHECK(site_lines(site, names, 80)[1] == "    from shop.Shop.serve(Shop.java:30), 50.0% of it");
  site.app = site.at;
  CHECK(site_lines(site, names, 80).size() == 1);
  CHECK(site_lines(AllocSite{}, names, 80) == std::vector<std::string>{"    (no Java frame)"});
}

TEST_CASE("The list of sites has every site by both names") {
  RunSample sample;
  std::string text;
  site_list(sample.data, into(text));
  CHECK(text.starts_with(R"({"type":"summary")"));
  CHECK(text.find(R"({"type":"site","class":"byte[]","count":100,"bytes":800000,)"
                  R"("at":{"class":"java.util.Arrays","method":"copyOf","file":"Arrays.java",)"
                  R"("line":10},"app":{"class":"shop.Shop","method":"serve","file":"Shop.java",)"
                  R"("line":30}})") != std::string::npos);
  CHECK(std::ranges::count(text, '\n') == 3);
}

TEST_CASE("The recent records of each thread are told by its name") {
  RunSample sample;
  sample.add("long[]", 24, 1, {sample.frame("shop.Shop", "serve", "Shop.java", 30)});
  std::string text;
  recent_threads(sample.data, into(text));
  CHECK(text.starts_with(R"({"type":"summary")"));
  INFO(text);
  CHECK(text.find(R"({"type":"thread","id":)") != std::string::npos);
  CHECK(std::ranges::count(text, '\n') == 2);
}

TEST_CASE("A list of the sites alone is the jsonl report without its records") {
  RunSample sample;
  sample.add("long[]", 24, 1, {sample.frame("shop.Shop", "serve", "Shop.java", 30)});
  REQUIRE(report_format_of("x.sites.jsonl"));
  const ReportFormat format = *report_format_of("x.sites.jsonl");
  const std::string sites = whole_report(format, sample.data);
  const std::string all = whole_report(ReportFormat::kJsonl, sample.data);
  REQUIRE(all.find(R"({"type":"record")") != std::string::npos);
  CHECK(sites == all.substr(0, all.find(R"({"type":"record")")));
  CHECK(std::ranges::count(sites, '\n') == 3);
  // Nobody shall take a list of nothing for the truth.
  sample.data.sites = {};
  CHECK(write_report_file("/nowhere/x.sites.jsonl", format, sample.data)->message ==
        "cannot write /nowhere/x.sites.jsonl: it needs sites, which are not counted");
  sample.data.summary.sites_missing = "tracking was never on";
  CHECK(write_report_file("/nowhere/x.sites.jsonl", format, sample.data)
            ->message.ends_with("sites, which are not counted: tracking was never on"));
  sample.data.summary.live_missing = "no memory";
  CHECK(write_report_file("/nowhere/x.dhat.json", ReportFormat::kDhat, sample.data)
            ->message.ends_with("it needs live=y: no memory"));
}

TEST_CASE("Reports are about the whole run, where that was counted") {
  RunSample sample;
  CHECK(whole_report(ReportFormat::kCollapsed, sample.data) ==
        "java.lang.Thread.exit;int[]_[new] 8\n"
        "shop.Shop.serve;jdk.internal.Buffer.grow;java.util.Arrays.copyOf;byte[]_[new] 800000\n");
  const std::string text = whole_report(ReportFormat::kText, sample.data);
  CHECK(text.find("Top 2 of 2 sites by bytes, of the whole run") != std::string::npos);
  CHECK(text.find("shop.Shop.serve(Shop.java:30)") != std::string::npos);
  const std::string page = whole_report(ReportFormat::kHtml, sample.data);
  CHECK(page.find("\"run\":{\"bytes\":800008,\"count\":101") != std::string::npos);
}

TEST_CASE("The page's tree is the whole one, with what is left out told") {
  RunSample sample;
  const json data = page_data(html_report(sample.data));
  CHECK(page_stacks(data, "run", 2, true) ==
        PageStacks{{"java.lang.Thread.exit[40];int[]", {8, 1}},
                   {"shop.Shop.serve[30];jdk.internal.Buffer.grow[20];java.util.Arrays.copyOf[10];"
                    "byte[]",
                    {800'000, 100}}});
  // Deeper than is kept, and more stacks than there is room for.
  std::vector<Frame> frames;
  for (int i = 0; i < 12; ++i) frames.push_back(sample.frame("shop.Shop", "pay", "Shop.java", i));
  for (int i = 0; i < 200; ++i) {
    frames[3] = sample.frame("shop.Till", "open", "Till.java", 100 + i);
    sample.count("long[]", frames, 24, 1);
  }
  sample.take();
  std::map<std::string, std::int64_t> wanted;
  ReportNames names(&sample.names);
  SiteSet::FrameBuffer buffer;
  for (const Site& site : sample.data.sites.list()) {
    std::string stack = names.class_name(site.class_id);
    for (const Frame& frame : sample.data.sites.frames(site, buffer)) {
      stack = names.method(frame.method).qualified + ";" + stack;
    }
    if (sample.data.sites.cut(site)) stack = "[deeper frames cut];" + stack;
    wanted[stack] += site.bytes;
  }
  bool gap = false, cut = false;
  std::map<std::string, std::int64_t> told;
  for (const auto& [stack, figures] : page_stacks(page_data(html_report(sample.data)), "run", 2)) {
    told[stack] = figures[0];
    gap |= stack.find("[frames left out]") != std::string::npos;
    cut |= stack.starts_with("[deeper frames cut];");
  }
  CHECK(told == wanted);
  CHECK(gap);
  CHECK(cut);
}

TEST_CASE(
    "The page tells when the whole run's sites allocated, and what no look has found is last") {
  RunSample sample;
  constexpr SiteNumber kMany = 1, kOne = 2;
  TimesReading times{200, {}, {}};
  for (const std::vector<SiteTimes::Share>& moment : std::vector<std::vector<SiteTimes::Share>>{
           {{kMany, 30, 240'000}}, {}, {{kOne, 1, 8}, {kMany, 50, 400'000}, {kMany, 10, 80'000}}}) {
    times.moments.begin();
    for (const SiteTimes::Share& share : moment) times.moments.add(share);
  }
  sample.data.sites.set_times(std::move(times));
  const json data = page_data(html_report(sample.data));
  const json& moments = data["run"]["moments"];
  CHECK(moments["step_ms"] == 200);
  PageNumbers numbers{moments["text"]};
  std::vector<std::vector<std::int64_t>> told;
  while (numbers.more()) {
    std::vector<std::int64_t>& moment = told.emplace_back();
    for (std::int64_t left = numbers.next(); left > 0; --left) {
      for (int i = 0; i < 3; ++i) moment.push_back(numbers.next());
    }
  }
  // Ends in the order of the walk: of byte[] with 800,000 bytes, of int[] with 8.
  const std::vector<std::int64_t> first{0, 240'000, 30};
  CHECK(told.size() == 3);
  CHECK((told[0] == first || told[0] == std::vector<std::int64_t>{1, 240'000, 30}));
  CHECK(told[1].empty());
  std::int64_t bytes = 0, count = 0;
  for (std::size_t i = 0; i < told[2].size(); i += 3) {
    bytes += told[2][i + 1];
    count += told[2][i + 2];
  }
  CHECK(bytes == 800'000 - 240'000 + 8);
  CHECK(count == 71);
}

}  // namespace
}  // namespace ddm
