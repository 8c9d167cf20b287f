#include "allocations/store/sites.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "allocations/store/seen_counter.h"
#include "allocations/store/site_set.h"

namespace ddm {
namespace {

TraceNumber trace_of(Sites& sites, std::uint32_t i) {
  const Frame frame{i, 0};
  return sites.traces().number_of({&frame, 1});
}

std::map<std::pair<NameId, TraceNumber>, std::pair<double, double>> figures(const Sites& sites) {
  const auto held = sites.hold();
  std::map<std::pair<NameId, TraceNumber>, std::pair<double, double>> result;
  for (const SiteSum& sum : sites.sums().sums)
    result[{sum.class_id, sum.trace}] = {sum.count, sum.bytes};
  return result;
}

TEST_CASE("Allocations are added up by class and stack, past 32 bits") {
  const auto sites = Sites::create(16, 4);
  const TraceNumber one = trace_of(*sites, 1), two = trace_of(*sites, 2);
  for (int i = 0; i < 70; ++i) sites->count({3, one, 64 << 20, 1});
  for (int i = 0; i < 3; ++i) sites->count({3, two, 16, 1});
  for (int i = 0; i < 5; ++i) sites->count({4, one, 24, 1});
  sites->count({4, kEmptyTrace, 8, 1});
  const auto found = figures(*sites);
  CHECK(found.at({3, one}) == std::pair(70.0, 4697620480.0));
  CHECK(found.at({3, two}) == std::pair(3.0, 48.0));
  CHECK(found.at({4, one}) == std::pair(5.0, 120.0));
  CHECK(found.at({4, kEmptyTrace}) == std::pair(1.0, 8.0));
  CHECK(found.size() == 4);
}

TEST_CASE("Sites are found again while their table grows, also many classes of one stack") {
  const auto sites = Sites::create(1 << 16, 4);
  constexpr std::uint32_t kStacks = 20'000, kClasses = 3, kOfOneStack = 5000;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 1; i <= kStacks; ++i) {
      const TraceNumber trace = trace_of(*sites, i);
      for (NameId id = 1; id <= kClasses; ++id) sites->count({id, trace, 8 * id, 1});
    }
    for (NameId id = 1; id <= kOfOneStack; ++id) sites->count({id, kEmptyTrace, 16, 1});
  }
  const auto found = figures(*sites);
  CHECK(found.size() == kStacks * kClasses + kOfOneStack);
  for (const auto& [key, figure] : found) {
    const double size = key.second == kEmptyTrace ? 16 : 8 * key.first;
    if (figure != std::pair(2.0, 2 * size)) CHECK(figure == std::pair(2.0, 2 * size));
  }
}

TEST_CASE("A stack without room is counted under its class, a class without room as unknown") {
  const auto sites = Sites::create(2, 4);
  double count = 0;
  // A thread's first frame takes two words: one says that nothing calls it.
  const std::uint32_t placed = (sites->traces().most() - kCutTrace - 1) / 2;
  for (std::uint32_t i = 1; i <= placed + SiteTable::kMostClasses + 1000; ++i) {
    sites->count({i, trace_of(*sites, i), 16, 1});
    ++count;
  }
  sites->count({kUnknownName, kNoTrace, 8, 1});
  const auto found = figures(*sites);
  CHECK(found.size() == placed + SiteTable::kMostClasses + 1);
  CHECK(found.at({placed + 5, kNoTrace}).first == 1);
  CHECK(found.at({kUnknownName, kNoTrace}).first == 1000 + 1);
  double sum = 0;
  for (const auto& [key, figure] : found) sum += figure.first;
  CHECK(sum == count + 1);
}

TEST_CASE("At any moment the sites have what all threads say that they have seen") {
  const auto sites = Sites::create(1 << 10, 4);
  constexpr int kThreads = 4;
  struct Book {
    SeenCounter seen;
    SiteJournal journal;
  };
  std::vector<std::unique_ptr<Book>> books;
  for (int i = 0; i < kThreads; ++i) books.push_back(std::make_unique<Book>());
  std::atomic<bool> stop{false};
  std::atomic<int> running{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++running;
      std::uint32_t state = static_cast<std::uint32_t>(t) + 1;
      for (std::uint64_t seq = 1; !stop; ++seq) {
        state = state * 1664525 + 1013904223;
        // More stacks than fit.
        const SiteEntry one{state >> 30, trace_of(*sites, state >> 21), state >> 20, 1};
        const std::uint64_t entries = sites->write(books[t]->journal, one);
        books[t]->seen.add({1, 0, 1, static_cast<double>(one.size), seq, entries});
        if (seq % 64 == 0) std::this_thread::yield();
      }
    });
  }
  while (running < kThreads) std::this_thread::yield();
  for (int round = 0; round < 300; ++round) {
    Seen seen;
    std::vector<SiteEntry> open;
    SiteReadings sums;
    {
      const auto held = sites->hold();
      sums = sites->sums();
      for (const auto& book : books) {
        const Seen one = book->seen.read();
        seen.add(one);
        for (const SiteEntry& entry : book->journal.open(one.entries)) open.push_back(entry);
      }
    }
    const SiteSet set(sites, sums, open, std::llround(seen.count), std::llround(seen.bytes));
    std::int64_t count = 0, bytes = 0;
    for (const Site& site : set.list()) {
      count += site.count;
      bytes += site.bytes;
      REQUIRE(site.count > 0);
      REQUIRE(site.bytes >= 0);
    }
    // The figures themselves, and not what was made up for them.
    double raw = 0;
    for (const SiteSum& one : sums.sums) raw += one.count;
    REQUIRE(raw + static_cast<double>(open.size()) == seen.count);
    REQUIRE(count == std::llround(seen.count));
    REQUIRE(bytes == std::llround(seen.bytes));
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  double seen = 0, counted = 0;
  for (const auto& book : books) {
    sites->close(book->journal);
    seen += book->seen.read().count;
  }
  for (const auto& [key, figure] : figures(*sites)) counted += figure.first;
  CHECK(counted == seen);
}

TEST_CASE("A reader's sites come most bytes first, those without a stack as one a class") {
  const auto sites = Sites::create(2, 4);
  trace_of(*sites, 1);
  trace_of(*sites, 2);
  for (std::uint32_t other = 5; trace_of(*sites, other) != kNoTrace;) ++other;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    sites->count({7, trace_of(*sites, i), 100 * static_cast<std::int64_t>(i), 1});
  }
  sites->count({7, kEmptyTrace, 50, 1});
  SiteReadings sums;
  {
    const auto held = sites->hold();
    sums = sites->sums();
  }
  const SiteSet set(sites, sums, {{8, kNoTrace, 1000, 1}, {7, trace_of(*sites, 1), 10, 1}}, 7,
                    2060);
  REQUIRE(set.size() == 4);
  CHECK(set[0].bytes == 1000);
  CHECK(set[1].class_id == 7);
  CHECK(set[1].bytes == 750);  // 300 and 400 that found no room, 50 without a frame
  CHECK(set[1].count == 3);
  CHECK(set[2].bytes == 200);
  CHECK(set[3].bytes == 110);
  CHECK(set[3].count == 2);
  CHECK(set.unplaced() == 3);
  SiteSet::FrameBuffer buffer;
  CHECK(set.frames(set[0], buffer).empty());
  CHECK(set.frames(set[2], buffer).size() == 1);
}

TEST_CASE("A reader that holds up recording threads takes no memory meanwhile") {
  const auto sites = Sites::create(4096, 4);
  for (std::uint32_t i = 1; i <= 1000; ++i) sites->count({1, trace_of(*sites, i), 16, 1});
  SiteReadings room = sites->room();
  const SiteSum* const memory = room.sums.data();
  sites->count({1, trace_of(*sites, 1001), 16, 1});
  const auto held = sites->hold();
  const SiteReadings readings = sites->sums(std::move(room));
  CHECK(readings.sums.size() == 1001);
  CHECK(readings.sums.data() == memory);
  CHECK(readings.live.empty());
}

TEST_CASE("Samples add up to whole numbers that are the totals told") {
  const auto sites = Sites::create(16, 4);
  for (std::uint32_t i = 1; i <= 9; ++i) sites->count({1, trace_of(*sites, i), 16, 10.4});
  SiteReadings sums;
  {
    const auto held = sites->hold();
    sums = sites->sums();
  }
  const SiteSet set(sites, sums, {}, 94, 1498);
  std::int64_t count = 0, bytes = 0;
  for (const Site& site : set.list()) {
    count += site.count;
    bytes += site.bytes;
  }
  CHECK(count == 94);
  CHECK(bytes == 1498);
}

TEST_CASE("Rounding moves neither a site of samples nor a class by more than one") {
  constexpr std::uint32_t kSmall = 2048;
  struct Sum {
    double count = 0, bytes = 0;
  };
  std::map<NameId, Sum> exact, told;
  Sum all;
  const auto sites = Sites::create(4096, 4);
  const auto add = [&](NameId class_id, std::uint32_t stack, std::int64_t size, double weight) {
    sites->count({class_id, trace_of(*sites, stack), size, weight});
    for (Sum* sum : {&exact[class_id], &all}) {
      sum->count += weight;
      sum->bytes += weight * static_cast<double>(size);
    }
  };
  for (std::uint32_t i = 1; i <= kSmall; ++i) {
    add(1, i, 32, 2048.6);
    add(2, i, 24, 2730.4);
  }
  for (int i = 0; i < 40; ++i) add(3, kSmall + 1, 3'000'000, 1.01);
  SiteReadings sums;
  {
    const auto held = sites->hold();
    sums = sites->sums();
  }
  const std::int64_t count = std::llround(all.count), bytes = std::llround(all.bytes);
  const SiteSet set(sites, sums, {}, count, bytes);
  REQUIRE(set.size() == 2 * kSmall + 1);
  std::int64_t told_count = 0, told_bytes = 0;
  for (const Site& site : set.list()) {
    const double weight = site.class_id == 1 ? 2048.6 : site.class_id == 2 ? 2730.4 : 40.4;
    REQUIRE(std::abs(static_cast<double>(site.count) - weight) < 1);
    told[site.class_id].count += static_cast<double>(site.count);
    told[site.class_id].bytes += static_cast<double>(site.bytes);
    told_count += site.count;
    told_bytes += site.bytes;
  }
  for (const auto& [class_id, sum] : exact) {
    CHECK(std::abs(told[class_id].count - sum.count) <= 1.01);
    CHECK(std::abs(told[class_id].bytes - sum.bytes) <= 1.01);
  }
  CHECK(told_count == count);
  CHECK(told_bytes == bytes);
}

TEST_CASE("No two sites read the same where some are added up and another has a gap") {
  const auto sites = Sites::create(64, 64);
  constexpr int kAll = 1000;
  for (std::uint32_t i = 0; i < kAll; ++i) {
    std::vector<Frame> frames;
    for (std::uint32_t k = 0; k < 40; ++k) frames.push_back({k < 10 ? 10'000 + 100 * i + k : k, 0});
    frames[0].method = 7;
    sites->count({1, sites->traces().number_of(frames), 16 + 8 * (i % 5), 1});
  }
  SiteReadings sums;
  {
    const auto held = sites->hold();
    sums = sites->sums();
  }
  const SiteSet all(sites, sums, {}, kAll, kAll * 32);
  for (const std::size_t most : {0, 30, 60, 100, 200, 100'000}) {
    const SiteSet set = all.folded(most);
    std::set<std::vector<std::pair<NameId, std::int32_t>>> shown;
    SiteSet::FrameBuffer buffer;
    std::int64_t count = 0;
    for (const Site& site : set.list()) {
      std::vector<std::pair<NameId, std::int32_t>> stack;
      for (const Frame& frame : set.frames(site, buffer))
        stack.emplace_back(frame.method, frame.bci);
      CHECK(shown.insert(stack).second);
      count += site.count;
    }
    CHECK(count == kAll);
  }
}

TEST_CASE("The smallest sites are added up by what allocates, where all stacks are too much") {
  constexpr NameId kFirst = 77;
  const auto sites = Sites::create(1024, 4);
  const auto trace = [&](std::uint32_t i) {
    const Frame frames[] = {{i % 2, 3}, {1000 + i, 0}, {kFirst, 0}};
    return sites->traces().number_of(frames);
  };
  for (std::uint32_t i = 1; i <= 200; ++i) sites->count({1, trace(i), 8 * i, 1});
  SiteReadings sums;
  {
    const auto held = sites->hold();
    sums = sites->sums();
  }
  const SiteSet all(sites, sums, {}, 200, 8 * 20'100);
  const SiteSet set = all.folded(15);
  REQUIRE(set.size() == 5 + 2);
  SiteSet::FrameBuffer buffer;
  std::int64_t bytes = 0;
  int folded = 0;
  for (const Site& site : set.list()) {
    bytes += site.bytes;
    const auto frames = set.frames(site, buffer);
    REQUIRE(frames.size() == 3);
    CHECK(frames[2].method == kFirst);
    if (frames[1].method != kLeftOutName) continue;
    CHECK(site.bytes == 8 * (frames[0].method == 1 ? 9604 : 9506));  // 1 to 195, odd and even
    ++folded;
  }
  CHECK(folded == 2);
  CHECK(bytes == 8 * 20'100);
  CHECK(all.folded(1000).size() == 200);
}

TEST_CASE("A report without sites has none") {
  const SiteSet set;
  CHECK(!set.counted());
  CHECK(set.size() == 0);
}

}  // namespace
}  // namespace ddm
