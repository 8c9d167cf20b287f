#include "report/below_method.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "report_sample.h"

namespace ddm {
namespace {

// Allocations, a sample and a wait in serve() and beside it, counted and recorded.
struct BelowSample : ReportSample {
  std::shared_ptr<Sites> sites = Sites::create(64, 8);

  BelowSample() {
    const Frame copy = frame("java.util.Arrays", "copyOf", "Arrays.java", 10);
    const Frame serve = frame("shop.Shop", "serve", "Shop.java", 30);
    const Frame main = frame("shop.Main", "observe", "Main.java", 3);
    count("byte[]", {copy, serve, main}, 8000, 100);
    count("int[]", {copy, main}, 8, 1);
    add("int[]", 8, 1, {copy, main});
    add("byte[]", 80, 1, {copy, serve, main});
    data.summary.threads = {{1, "main", 9000, 9000, 101}};
    data.summary.unattributed_bytes = 10;
    data.time.samples = {{7, "main", {serve, main}}, {5, "main", {main}}};
    data.time.monitors = {{MonitorKind::kPark, kUnknownName, 1, 10, {main}}};
    const auto held = sites->hold();
    data.summary.seen = 101;
    data.summary.seen_bytes = 8008;
    data.sites = SiteSet(sites, sites->sums(), {}, 101, 8008);
  }

  void count(const std::string& type, const std::vector<Frame>& frames, std::int64_t bytes,
             double weight) {
    const TraceNumber trace = sites->traces().number_of(frames);
    sites->count(
        {names.add_class(type), trace, std::llround(static_cast<double>(bytes) / weight), weight});
  }
};

TEST_CASE("A method is called by the end of its name behind a dot") {
  const MethodName total{"shop.Cart", "total", "()V", "", false, {}};
  for (const char* name : {"total", "Cart.total", "shop.Cart.total"}) CHECK(is_called(total, name));
  for (const char* name : {"otal", "art.total", "Cart", "x.shop.Cart.total"}) {
    CHECK_FALSE(is_called(total, name));
  }
}

TEST_CASE("A report below a method has what has the method on its stack, and sums of that alone") {
  BelowSample sample;
  ReportData& data = sample.data;
  keep_below(data, "Shop.serve");
  REQUIRE(data.sites.size() == 1);
  CHECK(sample.names.class_name(data.sites[0].class_id) == "byte[]");
  CHECK(data.summary.seen == 100);
  CHECK(data.summary.seen_bytes == 8000);
  REQUIRE(data.records.size() == 1);
  CHECK(data.records[0].record.size == 80);
  REQUIRE(data.time.samples.size() == 1);
  CHECK(data.time.samples[0].count == 7);
  CHECK(data.time.monitors.empty());
  CHECK(data.summary.threads.empty());
  CHECK_FALSE(data.summary.unattributed_bytes);
  CHECK(data.summary.below == "Shop.serve");
  CHECK(whole_report(ReportFormat::kJsonl, data).find("\"below\":\"Shop.serve\"") !=
        std::string::npos);
}

TEST_CASE("What is at cut stacks without the method is told, since it may be below it") {
  BelowSample sample;
  const Frame deep = sample.frame("shop.Deep", "recur", "Deep.java", 9);
  sample.count("int[]", std::vector<Frame>(20, deep), 640, 2);
  std::vector<Frame> in_serve(20, deep);
  in_serve[0] = sample.frame("shop.Shop", "serve", "Shop.java", 30);
  sample.count("int[]", in_serve, 64, 1);
  const auto held = sample.sites->hold();
  sample.data.sites = SiteSet(sample.sites, sample.sites->sums(), {}, 104, 8712);
  keep_below(sample.data, "Shop.serve");
  CHECK(sample.data.summary.seen_bytes == 8064);
  CHECK(sample.data.summary.below_unknown_bytes == 640);
  CHECK(whole_report(ReportFormat::kJsonl, sample.data).find("\"below_unknown_bytes\":640") !=
        std::string::npos);
  CHECK(whole_report(ReportFormat::kText, sample.data).find("perhaps below     640 B at stacks") !=
        std::string::npos);
}

TEST_CASE("Below a method that nothing has called there is nothing") {
  BelowSample sample;
  keep_below(sample.data, "Shop.never");
  CHECK(sample.data.sites.counted());
  CHECK(sample.data.sites.size() == 0);
  CHECK(sample.data.summary.seen == 0);
  CHECK(sample.data.records.empty());
  CHECK_FALSE(whole_report(ReportFormat::kHtml, sample.data).empty());
}

TEST_CASE("Without sites the sums below a method are those of the records") {
  BelowSample sample;
  sample.data.sites = {};
  keep_below(sample.data, "serve");
  CHECK(sample.data.summary.seen == 1);
  CHECK(sample.data.summary.seen_bytes == 80);
}

TEST_CASE("Without sites a sample counts below a method as what it stands for") {
  const auto sample = sampled_sample();
  keep_below(sample->data, "run");
  CHECK(sample->data.summary.seen == 130);
  CHECK(sample->data.summary.seen_bytes == 4624);
}

}  // namespace
}  // namespace ddm
