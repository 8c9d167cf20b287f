#include "live_growth.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

// Objects of 16 bytes: {class, survived one collection, survived two or more}.
struct OneSite {
  const char* of;
  int young, old;
};

LiveMoment moment(double seconds, int gc, const std::vector<OneSite>& sites) {
  LiveMoment result(seconds);
  std::string text = fmt::format("{{\"gc\":{}}}\n", gc);
  for (const OneSite& site : sites) {
    text += fmt::format(
        "{{\"class\":\"{}\",\"live_ages\":[{{\"survived\":1,\"count\":{},\"bytes\":{}}},"
        "{{\"survived\":2,\"count\":{},\"bytes\":{}}}],\"stack\":[]}}\n",
        site.of, site.young, 16 * site.young, site.old, 16 * site.old);
  }
  REQUIRE(result.feed(text.substr(0, 9)));
  REQUIRE(result.feed(text.substr(9)));
  REQUIRE(result.complete());
  return result;
}

}  // namespace

TEST_CASE("what grows from each collection to the next is named with its rate, all else is not") {
  LiveGrowth growth;
  growth.add(moment(0, 1, {{"Leak", 10, 0}, {"Burst", 10, 0}, {"Steady", 50, 0}, {"Young", 1, 0}}));
  growth.add(
      moment(6, 4, {{"Leak", 10, 10}, {"Burst", 90, 10}, {"Steady", 20, 29}, {"Young", 2, 0}}));
  growth.add(
      moment(12, 5, {{"Leak", 10, 20}, {"Burst", 1, 101}, {"Steady", 20, 31}, {"Young", 3, 0}}));
  const auto found = growth.growing();
  REQUIRE(found.size() == 1);
  CHECK(found[0].class_name == "Leak");
  CHECK(found[0].objects_per_minute == Approx(100));
  CHECK(found[0].bytes_per_minute == Approx(1600));
  CHECK(found[0].alive.count == 30);
  CHECK(found[0].grown == 10);
}

TEST_CASE("between collections that are unevenly spaced in time a steady leak grows at one rate") {
  LiveGrowth growth;
  // One a second; the other one has hardly grown in the last span, which is long.
  growth.add(moment(0, 1, {{"Leak", 10, 0}, {"Fills", 10, 0}}));
  growth.add(moment(10, 2, {{"Leak", 10, 10}, {"Fills", 50, 10}}));
  growth.add(moment(20, 3, {{"Leak", 10, 20}, {"Fills", 50, 50}}));
  growth.add(moment(110, 4, {{"Leak", 80, 40}, {"Fills", 20, 100}}));
  const auto found = growth.growing();
  REQUIRE(found.size() == 1);
  CHECK(found[0].class_name == "Leak");
  CHECK(found[0].objects_per_minute == Approx(60));
}

TEST_CASE("a class that as a whole does not grow only replaces what was there before") {
  LiveGrowth growth;
  for (int i = 0; i < 3; ++i)
    growth.add(moment(i, i, {{"A", 10 * i + 1, 1}, {"B", 10 * i + 1, 1}}));
  auto found = growth.growing();
  REQUIRE(found.size() == 2);
  drop_replaced_sites(found, {{"A", 4}, {"B", 5}, {"C", 10}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].class_name == "B");
}

TEST_CASE("there is nothing to wait for once no site has grown between all moments") {
  LiveGrowth growth;
  growth.add(LiveMoment(0));
  CHECK(growth.may_grow());
  growth.add(moment(1, 1, {{"A", 5, 0}, {"B", 5, 0}}));
  CHECK(growth.may_grow());
  growth.add(moment(2, 2, {{"A", 5, 0}, {"B", 6, 0}}));
  CHECK(growth.may_grow());
  growth.add(moment(3, 3, {{"A", 9, 0}, {"B", 6, 0}}));
  CHECK_FALSE(growth.may_grow());
}

}  // namespace ddm
