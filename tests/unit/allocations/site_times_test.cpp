#include "allocations/store/site_times.h"

#include <catch2/catch.hpp>
#include <map>

#include "allocations/store/sites.h"

namespace ddm {
namespace {

// Sites by number: class n at a stack of its own.
struct Times {
  SiteTable table{65536};
  SiteTimes times{table.size()};

  void come(std::uint32_t site, std::int64_t bytes) {
    come({NameId{site}, TraceNumber{site + kEmptyTrace + 1}, bytes, 1});
  }
  void come(const SiteEntry& one) {
    const SiteNumber site = table.site_of(one);
    times.before_change(site, table[site]);
    table.add(site, one);
  }
  // Bytes by moment.
  std::map<std::size_t, double> bytes() const {
    std::map<std::size_t, double> sums;
    for (std::size_t i = 0; i < times.moments().size(); ++i) {
      for (const SiteTimes::Share& share : times.moments()[i]) sums[i] += share.bytes;
    }
    return sums;
  }
  double all() const {
    double sum = 0;
    for (const auto& [at, bytes] : bytes()) sum += bytes;
    return sum;
  }
};

TEST_CASE("What came from one look to the next belongs to the moment in between") {
  Times run;
  run.come(1, 10);
  run.times.poll(run.table, 100);
  run.come(1, 20);
  run.come(2, 5);
  run.times.poll(run.table, 200);
  run.times.poll(run.table, 300);
  run.come(2, 7);
  run.times.poll(run.table, 350);  // a report asks
  run.come(2, 1);
  run.times.poll(run.table, 400);
  CHECK(run.bytes() == std::map<std::size_t, double>{{0, 10}, {1, 25}, {3, 8}});
  CHECK(run.times.step_ms() == 100);
}

TEST_CASE("What a late look finds is spread, and what a very late one finds is not") {
  Times run;
  run.times.poll(run.table, 100);
  for (const int size : {10, 10, 10, 11}) run.come(1, size);
  run.times.poll(run.table, 400);
  CHECK(run.bytes() == std::map<std::size_t, double>{{1, 10}, {2, 10}, {3, 21}});
  run.come(1, 8);
  run.times.poll(run.table, 9000);
  CHECK(run.bytes().rbegin()->first == 89);
  CHECK(run.bytes().rbegin()->second == 8);
}

TEST_CASE("No bytes are lost of a site that has more allocations than a moment's digits") {
  Times run;
  double told = 0;
  for (int look = 1; look <= 50; ++look) {
    run.come({NameId{1}, TraceNumber{kEmptyTrace + 1}, 16, look == 1 ? 1e9 : 1});
    told += look == 1 ? 16e9 : 16;
    run.times.poll(run.table, 300 * look);
  }
  CHECK(run.all() == told);
  CHECK(run.bytes().size() > 40);
}

TEST_CASE("A long run has longer moments, as many of them as before, and loses nothing") {
  Times run;
  double told = 0;
  for (int look = 1; look <= 5000; ++look) {
    run.come(static_cast<std::uint32_t>(look % 3), look);
    told += look;
    run.times.poll(run.table, 100 * look);
  }
  CHECK(run.times.moments().size() <= SiteTimes::kMostMoments);
  CHECK(run.times.moments().size() > SiteTimes::kMostMoments / 2);
  CHECK(run.times.step_ms() == 1600);
  CHECK(run.all() == told);
  // 16 looks a moment; the middle of the run is in the middle of the moments.
  double first_half = 0;
  for (const auto& [at, bytes] : run.bytes()) {
    if (at < run.times.moments().size() / 2) first_half += bytes;
  }
  CHECK(first_half == Approx(told / 4).epsilon(0.01));
}

TEST_CASE("Many sites make moments longer until what is told of them is bounded") {
  Times run;
  constexpr std::uint32_t kSites = 3000;
  double told = 0;
  for (int look = 1; look <= 350; ++look) {
    for (std::uint32_t site = 0; site < kSites; ++site) run.come(site, 1);
    told += kSites;
    run.times.poll(run.table, 100 * look);
  }
  CHECK(run.times.moments().entries() <= SiteTimes::kMostShares + kSites);
  CHECK(run.times.step_ms() > 200);
  CHECK(run.all() == told);
}

TEST_CASE("Where there are too many sites the smallest have no times, however long the run is") {
  Times run;
  constexpr std::uint32_t kSites = 10'000, kLooks = 600;
  for (std::uint32_t look = 1; look <= kLooks; ++look) {
    for (std::uint32_t site = 1; site <= kSites; ++site) run.come(site, site);
    run.times.poll(run.table, 100 * look);
  }
  CHECK(run.times.moments().entries() <= SiteTimes::kMostShares + 2 * std::size_t{kSites});
  CHECK(run.times.moments().size() >= SiteTimes::kFewestMoments);
  CHECK(run.times.moments().size() <= SiteTimes::kMostMoments);
  std::map<SiteNumber, double> timed;
  for (std::size_t i = 0; i < run.times.moments().size(); ++i) {
    for (const SiteTimes::Share& share : run.times.moments()[i]) timed[share.site] += share.bytes;
  }
  std::size_t partly = 0;
  run.table.for_each([&](SiteNumber site, const SiteSum& sum) {
    if (run.times.is_partly_timed(site)) {
      ++partly;
      CHECK(timed[site] < sum.bytes);
    } else {
      CHECK(timed[site] == sum.bytes);
      CHECK(sum.bytes > kLooks * (kSites / 4.0));  // the large ones are whole
    }
  });
  CHECK(partly > kSites / 4);
  CHECK(partly < kSites * 9 / 10);
}

}  // namespace
}  // namespace ddm
