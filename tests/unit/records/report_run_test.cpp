// Tables and trees of the whole run.
#include <catch2/catch.hpp>

#include "records/report_sites.h"
#include "records/report_stacks.h"
#include "report_sample.h"

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
    std::vector<SiteSum> sums;
    {
      const auto held = sites->hold();
      sums = sites->sums();
    }
    data.sites = SiteSet(sites, sums, {}, 101, 800'008);
    data.summary.seen = 101;
    data.summary.seen_bytes = 800'008;
  }

  void count(const std::string& type, const std::vector<Frame>& frames, std::int64_t size,
             double weight) {
    const TraceNumber trace = sites->traces().number_of(++hash_ * 0x9E3779B97F4A7C15ull, frames);
    sites->count({names.add_class(type), trace, size, weight});
  }

 private:
  std::uint64_t hash_ = 0;
};

TEST_CASE(
    "The whole run's sites are named by what allocates, or by the first frame of the program") {
  RunSample sample;
  ReportNames names(&sample.names);
  auto top = top_sites(sites_of(sample.data, names), SiteOrder::kBytes, 1);
  REQUIRE(top.size() == 1);
  CHECK(names.method(top[0].method).qualified == "java.util.Arrays.copyOf");
  CHECK(top[0].bytes == 800'000);
  CHECK(top[0].count == 100);
  auto app = top_sites(sites_of(sample.data, names, SiteFrame::kApp), SiteOrder::kBytes, 2);
  REQUIRE(app.size() == 2);
  CHECK(names.method(app[0].method).qualified == "shop.Shop.serve");
  CHECK(app[0].line == 30);
  CHECK(names.method(app[1].method).qualified == "java.lang.Thread.exit");  // nothing but the JDK
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

TEST_CASE("What is small in a tree stands together where it stood, and nothing is lost") {
  RunSample sample;
  ReportNames names(&sample.names);
  const StackTree all = stack_tree_of(sample.data.sites, names);
  const StackTree tree = without_small(all, 50);
  std::int64_t bytes = 0, count = 0;
  for (const StackTree::Node& node : tree.nodes) {
    bytes += node.bytes;
    count += node.count;
  }
  CHECK(bytes == 800'008);
  CHECK(count == 101);
  CHECK(tree.nodes.size() == all.nodes.size() - 1);  // one leaf for a frame and its class
  CHECK(tree.classes.back() == "[smaller ones]");
  CHECK(without_small(all, 1000).nodes.size() == all.nodes.size());
}

}  // namespace
}  // namespace ddm
