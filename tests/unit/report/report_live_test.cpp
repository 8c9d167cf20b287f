// What is alive, in every format: dhat.json and firefox.json by their own rules.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "../allocations/live_sweep.h"
#include "firefox_format.h"
#include "page_stacks.h"
#include "report_sample.h"

namespace ddm {
namespace {

using nlohmann::json;

// 1,000 objects of 16 bytes kept and 500 of 40 bytes dropped, both by one line, half of each before
// the first of two sweeps; 10 more before following. One in `one_in` is followed.
struct LiveSample : ReportSample {
  std::shared_ptr<Sites> sites = Sites::create(64, 8);
  std::uint64_t gc = 0;
  static constexpr std::int64_t kSeen = 1510, kSeenBytes = 16'000 + 20'000 + 160;

  explicit LiveSample(std::uint32_t one_in) {
    const std::vector<Frame> stack{frame("shop.Shop", "fill", "Shop.java", 30),
                                   frame("shop.Shop", "main", "Shop.java", 9)};
    const TraceNumber trace = sites->traces().number_of(stack);
    const NameId kept = names.add_class("shop.Item"), dropped = names.add_class("int[]");
    for (int i = 0; i < 10; ++i) sites->count({kept, trace, 16, 1});
    {
      const auto held = sites->hold();
      sites->follow(LiveTable::create(sites->table().size(), {}, one_in));
    }
    std::uint64_t handle = 0;
    const auto allocate = [&](int times, std::uint32_t born) {
      for (int i = 0; i < times; ++i) {
        const bool followed = static_cast<std::uint32_t>(i) % one_in == 0;
        sites->count({kept, trace, 16, 1, followed ? ++handle : 0, born, gc});
        if (i % 2 == 0) continue;
        sites->count(
            {dropped, trace, 40, 1, followed || one_in > 1 ? 1'000'000 + ++handle : 0, born, gc});
      }
    };
    allocate(500, 10);
    sweep(20);
    allocate(500, 30);
    sweep(50);
    const auto held = sites->hold();
    LiveReading reading = sites->live_reading();
    reading.now_ms = 400;
    data.sites = SiteSet(sites, sites->sums(), {}, kSeen, kSeenBytes, std::move(reading));
    data.summary.seen = kSeen;
    data.summary.seen_bytes = kSeenBytes;
    data.summary.app = "shop";
    const SiteLife life = data.sites.life();
    LiveSummary live;
    live.gc = gc + 1000;  // of which a thousand came before following
    live.collections = gc;
    live.one_in = one_in;
    live.count = life.live_count;
    live.bytes = life.live_bytes;
    live.followed_ms = 400;
    live.top_ms = sites->live()->top_ms();
    data.summary.live = live;
  }

  void sweep(std::uint32_t now) {
    sweep_live(*sites, ++gc, now, [](const LiveObject& one) { return one.handle >= 1'000'000; });
  }
};

void check_firefox(const LiveSample& sample) {
  const json profile = json::parse(whole_report(ReportFormat::kFirefox, sample.data));
  check_firefox_format(profile);
  const json& events = profile["threads"][0]["nativeAllocations"];
  std::int64_t plus = 0, sum = 0, last = 0;
  REQUIRE(events["weight"].size() == events["length"]);
  for (std::size_t i = 0; i < events["weight"].size(); ++i) {
    const std::int64_t weight = events["weight"][i], time = events["time"][i];
    plus += std::max<std::int64_t>(weight, 0);
    sum += weight;
    CHECK(time >= last);
    last = time;
    CHECK(events["stack"][i] < profile["shared"]["stackTable"]["length"]);
  }
  CHECK(plus == LiveSample::kSeenBytes);
  CHECK(sum == sample.data.summary.live->bytes);
}

TEST_CASE("A firefox profile's plus are what was seen, plus and minus what is alive") {
  const LiveSample exact(1);
  CHECK(exact.data.summary.live->bytes == 16'000);
  check_firefox(exact);
  const LiveSample sampled(7);
  CHECK(std::abs(sampled.data.summary.live->bytes - 16'000) < 10);
  check_firefox(sampled);
  // Deaths stand where they were found.
  const json profile = json::parse(whole_report(ReportFormat::kFirefox, exact.data));
  const json& events = profile["threads"][0]["nativeAllocations"];
  std::map<std::int64_t, std::int64_t> dead;
  for (std::size_t i = 0; i < events["weight"].size(); ++i) {
    if (events["weight"][i] < 0) dead[events["time"][i]] -= events["weight"][i].get<std::int64_t>();
  }
  CHECK(dead == std::map<std::int64_t, std::int64_t>{{0, 160}, {80, 10'000}, {200, 10'000}});
}

TEST_CASE("A dhat report has every site's figures since it is followed") {
  const LiveSample sample(1);
  const json report = json::parse(whole_report(ReportFormat::kDhat, sample.data));
  CHECK(report["dhatFileVersion"] == 2);
  CHECK(report["ftbl"][0] == "[root]");
  REQUIRE(report["pps"].size() == 2);
  for (const json& point : report["pps"]) {
    REQUIRE(point["fs"].size() == 3);
    CHECK(report["ftbl"][point["fs"][1].get<std::size_t>()] == "shop.Shop.fill(Shop.java:30)");
    const bool kept = report["ftbl"][point["fs"][0].get<std::size_t>()] == "new shop.Item";
    CHECK(point["tbk"] == (kept ? 1000 : 500));
    CHECK(point["tb"] == (kept ? 16'000 : 20'000));
    CHECK(point["ebk"] == (kept ? 1000 : 0));
    CHECK(point["gb"] == (kept ? 16'000 : 0));
    // Born after 40 and 120 ms: dead after 80 and 200, or alive after 400.
    CHECK(point["tl"] == (kept ? 500 * 360 + 500 * 280 : 250 * 40 + 250 * 80));
  }
  CHECK(report["gc"] == 1002);
  CHECK(report["tuth"] == 400 / 3);
  CHECK(report["tg"] == 200);
  CHECK(report["te"] == 400);
}

TEST_CASE("Tables and pprof have what is alive beside the rest; without live= there is nothing") {
  LiveSample sample(1);
  const std::string text = whole_report(ReportFormat::kText, sample.data);
  CHECK(text.find("Top 1 of 1 sites by live bytes, as of collection 1002\n") != std::string::npos);
  const std::string jsonl = whole_report(ReportFormat::kJsonl, sample.data);
  // Half of them before each of two collections.
  const std::string ages = R"("live_ages":[{"survived":1,"count":500,"bytes":8000},)"
                           R"({"survived":2,"count":500,"bytes":8000}],)";
  CHECK(jsonl.find(R"("count":1010,"bytes":16160,"live_count":1000,"live_bytes":16000,)" + ages) !=
        std::string::npos);
  CHECK(text.find("\n           8,000   50.0%          500         1\n"
                  "           8,000   50.0%          500       2-3\n") != std::string::npos);
  CHECK(text.find("          16,000  100.0%        1,000       2-3  shop.Item\n") !=
        std::string::npos);
  const std::string page = whole_report(ReportFormat::kHtml, sample.data);
  // Bytes and count, then which classes of ages there are (bits 1 and 2), then a count for each.
  const auto live = page_stacks(page_data(page), "live", 5);
  REQUIRE(live.size() == 1);
  CHECK(live.begin()->second == std::vector<std::int64_t>{16000, 1000, 6, 500, 500});
  std::string list;
  live_list(sample.data, into(list));
  CHECK(list.find(R"({"type":"site","class":"shop.Item","live_count":1000,"live_bytes":16000,)") !=
        std::string::npos);
  CHECK(list.find("int[]") == std::string::npos);
  std::string sums;
  site_list(sample.data, into(sums));
  CHECK(sums.find(R"("count":1010,"bytes":16160,)" + ages) != std::string::npos);
  sample.data.summary.live.reset();
  for (const ReportFormat format : {ReportFormat::kDhat, ReportFormat::kFirefox}) {
    CHECK(needs_live(format));
    CHECK(whole_report(format, sample.data).empty());
    CHECK(write_report_file("/nowhere", format, sample.data)->message.find("needs live=y") !=
          std::string::npos);
  }
  CHECK(whole_report(ReportFormat::kText, sample.data).find("live") == std::string::npos);
}

}  // namespace
}  // namespace ddm

TEST_CASE("The summary at the end of a run says what is alive, as of which collection") {
  const std::string exact = summary_report(LiveSample(1).data, 25);
  CHECK(exact.find("\n  alive ") != std::string::npos);
  CHECK(exact.find("16,000 bytes") != std::string::npos);
  CHECK(exact.find("as of collection ") != std::string::npos);
  CHECK(exact.find("estimated") == std::string::npos);
  CHECK(summary_report(LiveSample(4).data, 25).find(", estimated from one object in 4") !=
        std::string::npos);
}
