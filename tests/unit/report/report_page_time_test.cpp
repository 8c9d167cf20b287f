// What the page knows of time, held against figures that can be added up in the head.
#include <catch2/catch.hpp>
#include <map>
#include <nlohmann/json.hpp>

#include "page_stacks.h"
#include "report/page/report_page.h"
#include "report_sample.h"

using namespace ddm;
using nlohmann::json;

namespace {

json data_of(const ReportData& data) { return page_data(html_report(data)); }

// "outermost;...;innermost" -> the one of its figures.
std::map<std::string, std::int64_t> stacks_of(const json& data, const char* name, std::size_t which,
                                              std::size_t figures = 2) {
  std::map<std::string, std::int64_t> stacks;
  for (const auto& [stack, all] : page_stacks(data, name, figures)) {
    if (all[which] != 0) stacks[stack] = all[which];
  }
  return stacks;
}
constexpr std::size_t kNs = 0, kCounts = 1;

// main calls pay twice, pay calls itself and log; log is called by nobody, too.
std::unique_ptr<ReportSample> times_sample() {
  auto sample = std::make_unique<ReportSample>();
  const auto method = [&](const char* type, const char* name) {
    return sample->frame(type, name, "X.java", 1).method;
  };
  TimeData& time = sample->data.time;
  time.methods = {{"shop.Cart", "pay", "()V", 3, 1, 700, 500, 90, method("shop.Cart", "pay")},
                  {"shop.Log", "log", "(I)V", 2, 0, 250, 250, 10, method("shop.Log", "log")},
                  {"shop.Main", "main", "()V", 1, 0, 1000, 300, 100, method("shop.Main", "main")}};
  time.method_paths = {{MethodPath::kNoCaller, 2, 1, 1000, 300},
                       {0, 0, 2, 700, 400},
                       {1, 0, 1, 0, 100},
                       {2, 1, 1, 200, 200},
                       {MethodPath::kNoCaller, 1, 1, 50, 50}};
  return sample;
}

}  // namespace

TEST_CASE("The page of method times has the ways that calls went") {
  const json page = data_of(times_sample()->data);
  CHECK(page["time_alone"] == true);
  CHECK_FALSE(page.contains("samples"));
  CHECK_FALSE(page.contains("locks"));
  const json& times = page["times"];
  CHECK(times["ns"] == 1050);
  CHECK(times["count"] == 6);
  CHECK(stacks_of(page, "times", kNs) ==
        std::map<std::string, std::int64_t>{
            {"shop.Main.main", 300},
            {"shop.Main.main;shop.Cart.pay", 400},
            {"shop.Main.main;shop.Cart.pay;shop.Cart.pay", 100},
            {"shop.Main.main;shop.Cart.pay;shop.Cart.pay;shop.Log.log", 200},
            {"shop.Log.log", 50}});
  CHECK(stacks_of(page, "times", kCounts)["shop.Main.main;shop.Cart.pay"] == 2);
  CHECK(times["methods_count"] == 3);
  CHECK(times["methods"] == json::parse(R"([["shop.Cart.pay", "()V", 3, 1, 700, 500, 90],
    ["shop.Log.log", "(I)V", 2, 0, 250, 250, 10], ["shop.Main.main", "()V", 1, 0, 1000, 300, 100]])"));
}

TEST_CASE("The page of samples has each stack below its thread") {
  ReportSample sample;
  const Frame run = sample.frame("a.Main", "run", "Main.java", 7);
  const Frame again = sample.frame("a.Main", "again", "Main.java", 9);
  const Frame root = sample.frame("java.lang.Math", "sqrt", "Math.java", 3);
  TimeData& time = sample.data.time;
  time.sampler.emplace();
  time.samples = {{6, "one", {root, again, again, run}, false},
                  {3, "two", {root, again, again, run}, false},
                  {2, "two", {again, run}, false},
                  {1, "one", {run}, true},
                  {1, "one", {}, false}};
  const json page = data_of(sample.data);
  CHECK(page["samples"]["count"] == 13);
  CHECK_FALSE(page["samples"].contains("ns"));
  CHECK(stacks_of(page, "samples", 0, 1) ==
        std::map<std::string, std::int64_t>{
            {"(one);a.Main.run;a.Main.again;a.Main.again;java.lang.Math.sqrt", 6},
            {"(two);a.Main.run;a.Main.again;a.Main.again;java.lang.Math.sqrt", 3},
            {"(two);a.Main.run;a.Main.again", 2},
            {"(one);[deeper frames cut];a.Main.run", 1},
            {"(one);(no Java frame)", 1}});
}

TEST_CASE("The page of locks stands by kind, and pins are not added twice") {
  ReportSample sample;
  const Frame pay = sample.frame("shop.Cart", "pay", "Cart.java", 42);
  const Frame park = sample.frame("java.util.concurrent.locks.LockSupport", "park", "L.java", 1);
  const NameId till = sample.names.add_class("shop.Till");
  TimeData& time = sample.data.time;
  time.monitor_on = true;
  time.monitors = {{MonitorKind::kPark, till, 4, 1000, {park, pay}, false},
                   {MonitorKind::kPin, kUnknownName, 2, 600, {park, pay}, false},
                   {MonitorKind::kEnter, till, 3, 300, {pay}, false},
                   {MonitorKind::kPark, kUnknownName, 1, 50, {park, pay}, false}};
  const json page = data_of(sample.data);
  const json& locks = page["locks"];
  CHECK(locks["ns"] == 1350);
  CHECK(locks["count"] == 8);
  const std::string parked = "park;shop.Cart.pay;java.util.concurrent.locks.LockSupport.park";
  CHECK(stacks_of(page, "locks", kNs) ==
        std::map<std::string, std::int64_t>{
            {"enter;shop.Cart.pay;shop.Till", 300}, {parked + ";shop.Till", 1000}, {parked, 50}});
  CHECK(locks["types"] == json::parse(R"([["enter", "shop.Till", 300, 3], ["park", "", 50, 1],
    ["park", "shop.Till", 1000, 4], ["pin", "", 600, 2]])"));
  CHECK(locks["places_count"] == 4);
  CHECK(locks["places"][0] == json::parse(R"(["enter", "shop.Till", "shop.Cart.pay",
    "Cart.java:42", "shop.Cart.pay", "Cart.java:42", 300, 3, [], 0])"));
  CHECK(locks["holders"].empty());
}

TEST_CASE("The page tells who had a lock, by place and by thread") {
  ReportSample sample;
  const Frame pay = sample.frame("shop.Cart", "pay", "Cart.java", 42);
  const Frame refund = sample.frame("shop.Cart", "refund", "Cart.java", 50);
  const Frame sleep = sample.frame("java.lang.Thread", "sleep", "Thread.java", 7);
  const NameId till = sample.names.add_class("shop.Till");
  TimeData& time = sample.data.time;
  time.monitor_on = true;
  // Two stacks of one place: what stands in one thread at one place is added up.
  time.monitors = {{MonitorKind::kEnter,
                    till,
                    5,
                    900,
                    {pay},
                    false,
                    {{"ann", 2, 500, {sleep, refund}}, {"bob", 1, 100, {}}, {"eve", 1, 90, {pay}}}},
                   {MonitorKind::kEnter,
                    till,
                    2,
                    80,
                    {pay, refund},
                    false,
                    {{"ann", 1, 60, {refund}}, {"kim", 1, 20, {pay}}}},
                   {MonitorKind::kPark, till, 1, 70, {refund}, false, {{"bob", 1, 70, {}}}},
                   {MonitorKind::kPin, till, 1, 70, {refund}, false, {{"bob", 1, 70, {}}}}};
  const json locks = data_of(sample.data)["locks"];
  const json ann = json::parse(R"(["ann", "shop.Cart.refund", "Cart.java:50", 560, 3])");
  REQUIRE(locks["places"][0][6] == 980);
  CHECK(locks["places"][0][8] == json::array({ann, json::parse(R"(["bob", "", "", 100, 1])"),
                                              json::parse(R"(["eve", "shop.Cart.pay",
                                                  "Cart.java:42", 90, 1])")}));
  CHECK(locks["places"][0][9] == 4);
  std::map<std::string, std::int64_t> by_thread;
  for (const json& holder : locks["holders"]) {
    CHECK(holder[0] == "shop.Till");
    by_thread[holder[1]] += holder[4].get<std::int64_t>();
  }
  CHECK(by_thread ==
        std::map<std::string, std::int64_t>{{"ann", 560}, {"bob", 170}, {"eve", 90}, {"kim", 20}});
  CHECK(locks["holders_count"] == 4);
}

TEST_CASE("Much waiting of one kind hides none of another") {
  ReportSample sample;
  TimeData& time = sample.data.time;
  time.monitor_on = true;
  const Frame idle = sample.frame("a.Pool", "take", "Pool.java", 1);
  time.monitors = {{MonitorKind::kWait, kUnknownName, 1'000'000, 1'000'000'000'000, {idle}, false}};
  for (int i = 0; i < 10; ++i) {
    const Frame frame = sample.frame("a.C" + std::to_string(i), "m", "C.java", 1);
    time.monitors.push_back({MonitorKind::kEnter, kUnknownName, 1, 10, {frame}, false});
  }
  const auto stacks = stacks_of(data_of(sample.data), "locks", kNs);
  CHECK(stacks.size() == 11);
  CHECK(stacks.at("enter;a.C3.m") == 10);
}

TEST_CASE("A page of allocations and time opens on allocations and has both") {
  auto sample = small_sample();
  sample->data.time = times_sample()->data.time;
  sample->data.time.incomplete = "Half is \"missing\".";
  const json page = data_of(sample->data);
  CHECK_FALSE(page.contains("time_alone"));
  CHECK(page["recorded_count"] == 4);
  CHECK(page["times"]["ns"] == 1050);
  CHECK(page["incomplete"] == "Half is \"missing\".");
}

TEST_CASE("A table of the page has the largest by each of its figures") {
  struct Row {
    std::int64_t first, second;
  };
  std::vector<Row> rows;
  for (std::int64_t i = 0; i < 1000; ++i) rows.push_back({i, 1000 - i});
  const auto chosen = page_rows(rows, {&Row::first, &Row::second});
  REQUIRE(chosen.size() == 2 * kPageRows);
  CHECK(chosen.front()->second == 1000);
  CHECK(chosen.back()->first == 999);
  CHECK(page_rows(rows, {&Row::first, &Row::first}).size() == kPageRows);
}
