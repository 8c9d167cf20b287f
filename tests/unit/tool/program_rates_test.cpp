// What ddm top shows of a program: in which order, in how many lines, and what has died.
#include "program_rates.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

using namespace ddm;  // NOLINT: a test of one part

namespace {

SiteRates rates_of(const char* class_name, FrameName at, double bytes, double objects) {
  SiteRates site;
  site.row.what = class_name;
  site.row.at = std::move(at);
  site.bytes_per_second = bytes;
  site.objects_per_second = objects;
  return site;
}

ProgramRates program_of(std::size_t sites, std::size_t threads) {
  ProgramRates rates;
  rates.tracking = true;
  for (std::size_t i = 0; i < sites; ++i) {
    rates.sites.push_back(rates_of("java.lang.String",
                                   {"java.lang.Integer", "toString", "Integer.java", 456},
                                   double(1000 + i), double(1000 - i)));
  }
  for (std::size_t i = 0; i < threads; ++i) {
    rates.threads.push_back({std::int64_t(i), "worker-" + std::to_string(i), double(i)});
  }
  return rates;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::size_t lines_with(const std::vector<std::string>& lines, std::string_view word) {
  return static_cast<std::size_t>(std::ranges::count_if(
      lines, [word](const std::string& line) { return line.find(word) != std::string::npos; }));
}

}  // namespace

TEST_CASE("Where lines are few a third of them is for threads, and what is left out is told") {
  const ProgramRates many = program_of(40, 40);
  const auto lines = lines_of(program_text(many, {.width = 80, .lines = 23}));
  CHECK(lines.size() == 23);
  CHECK(lines_with(lines, "toString") == 12);
  CHECK(lines_with(lines, "worker-") == 7);
  CHECK(lines_with(lines, "... 28 more") == 1);
  CHECK(lines_with(lines, "--top") == 0);  // no row of a screen shows it
  // Few sites leave more to the threads, of which eight are shown.
  CHECK(lines_with(lines_of(program_text(program_of(3, 40), {.width = 80, .lines = 23})),
                   "worker-") == 8);
  const auto low = lines_of(program_text(many, {.width = 80, .lines = 9}));
  CHECK(low.size() == 9);
  CHECK(lines_with(low, "worker-") == 4);
  const auto all = lines_of(program_text(many, {.top = 25}));
  CHECK(lines_with(all, "toString") == 25);
  CHECK(lines_with(all, "... 15 more (--top N shows more)") == 1);
  CHECK(rows_shown(5, 25, 0) == 1);
  CHECK(rows_shown(5, 25, 5) == 5);
  CHECK(rows_shown(6, 5, 5) == 4);
}

TEST_CASE("A method stays whole in 80 columns, and in 40 on a line of its own") {
  const ProgramRates rates = program_of(1, 1);
  const auto wide = lines_of(program_text(rates, {.width = 80, .lines = 23}));
  CHECK(wide[0].find("BYTES/S*  OBJECTS/S  DIED %  CLASS") != std::string::npos);
  CHECK(wide[1].find("java.lang.String") != std::string::npos);
  CHECK(wide[1].ends_with("  java.lang.Integer.toString(:456)"));
  CHECK(wide[1].size() <= 80);
  ProgramRates long_class = rates;
  long_class.sites[0].row.what = "org.example.shop.front.basket.BasketRowsBuilder$WithDiscounts";
  const auto shared = lines_of(program_text(long_class, {.width = 80, .lines = 23}));
  CHECK(shared[1].find(".toString(") != std::string::npos);
  CHECK(shared[1].size() <= 80);
  const auto narrow = lines_of(program_text(rates, {.width = 40, .lines = 23}));
  CHECK(narrow[0].find("OBJECTS/S") == std::string::npos);
  CHECK(narrow[2] == "  at java.lang.Integer.toString(:456)");
  CHECK(program_text(rates, {}).find("  java.lang.Integer.toString(Integer.java:456)\n") !=
        std::string::npos);
}

TEST_CASE("Sites are sorted by each column, which is marked") {
  ProgramRates rates;
  rates.tracking = true;
  rates.sites = {rates_of("b.B", {"z.Z", "m", "Z.java", 1}, 10, 3),
                 rates_of("a.A", {"y.Y", "m", "Y.java", 1}, 30, 1),
                 rates_of("c.C", {"x.X", "m", "X.java", 1}, 20, 2)};
  const auto order = [&](const char* word) {
    rates.sort(*top_sort(word));
    std::string names;
    for (const SiteRates& site : rates.sites) names += site.row.what[0];
    return names;
  };
  CHECK(order("bytes") == "acb");
  CHECK(order("objects") == "bca");
  CHECK(order("class") == "abc");
  rates.sites[1].died_percent = 50;  // b.B
  rates.sites[2].died_percent = 90;  // c.C
  CHECK(order("died") == "cba");
  CHECK(order("at") == "cab");
  CHECK_FALSE(top_sort("size"));
  CHECK(program_text(rates, {.sort = TopSort::kAt}).find("CLASS  AT*\n") != std::string::npos);
  CHECK(program_text(rates, {.sort = TopSort::kDied}).find("DIED %*") != std::string::npos);
}

TEST_CASE("What has died is a share of what the last collection has looked at") {
  SiteRow row;
  row.bytes_before = 600;
  row.bytes = 400;
  CHECK(died_percent(row) == 100);
  row.ages.bytes[1] = 300;
  CHECK(died_percent(row) == 70);
  row.ages.bytes[0] = 600;  // nobody knows of those
  CHECK(died_percent(row) == 25);
  row.ages.bytes[1] = 0;
  row.ages.bytes[0] = 1000;
  CHECK_FALSE(died_percent(row));
  // Estimates of both may differ.
  row.ages.bytes[0] = 0;
  row.ages.bytes[1] = 1100;
  CHECK(died_percent(row) == 0);
  ProgramRates rates = program_of(2, 0);
  rates.sites[0].died_percent = 99.6;
  const auto lines = lines_of(program_text(rates, {}));
  CHECK(lines[1].find("     100  java.lang.String") != std::string::npos);
  CHECK(lines[2].find("          java.lang.String") != std::string::npos);
}

TEST_CASE("The first line has its keys in 80 columns, also while paused") {
  constexpr std::string_view kKeys = "q: quit  p: pause  e: report  sort by title: b o d c a";
  CHECK(head_line("4711", true, kKeys, 80) == "4711, paused   " + std::string(kKeys));
  const std::string cut = head_line("org.example.shop.front.Main", true, kKeys, 80);
  CHECK(cut.size() == 80);
  CHECK(cut.ends_with(", paused   " + std::string(kKeys)));
}

TEST_CASE("A pid is whole in the first line of any terminal") {
  constexpr std::string_view kKeys = "q: quit  p: pause  e: report  sort by title: b o d c a";
  for (const std::size_t width : {40, 60, 80}) {
    for (const std::string pid : {"4711", "4194304"}) {
      CHECK(head_line(pid, true, kKeys, width) == pid + ", paused   " + std::string(kKeys));
    }
  }
}
