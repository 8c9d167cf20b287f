#include "time/totals/monitor_totals.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "one_frame_trace.h"

using namespace ddm;

TEST_CASE("Monitor totals add up by kind, class and stack, most time first") {
  const auto traces = CallTree::create(100, 8);
  REQUIRE(traces);
  const TraceNumber here = trace_of(*traces, 10), there = trace_of(*traces, 11);
  MonitorTotals totals;
  totals.add(MonitorKind::kEnter, 1, here, 100);
  totals.add(MonitorKind::kEnter, 1, here, 50);
  totals.add(MonitorKind::kEnter, 2, here, 1);
  totals.add(MonitorKind::kWait, 1, here, 2);
  totals.add(MonitorKind::kEnter, 1, there, 1000);

  const std::vector<MonitorTime> found = totals.read(*traces);
  REQUIRE(found.size() == 4);
  CHECK(found[0].ns == 1000);
  CHECK(found[0].frames == std::vector<Frame>{{11, 3}});
  CHECK(found[1].count == 2);
  CHECK(found[1].ns == 150);
  CHECK(found[1].class_id == 1);
  CHECK(found[2].kind == MonitorKind::kWait);
  CHECK(found[3].class_id == 2);

  NamesInUse used;
  totals.add_names(used);
  CHECK(used.classes == std::unordered_set<NameId>{1, 2});
  totals.clear();
  CHECK(totals.read(*traces).empty());
}

TEST_CASE("Monitor totals tell who held the lock, most time first") {
  const auto traces = CallTree::create(100, 8);
  REQUIRE(traces);
  const TraceNumber here = trace_of(*traces, 10), there = trace_of(*traces, 11);
  MonitorTotals totals;
  const ThreadNumber one = totals.holder_number("one"), two = totals.holder_number("two");
  CHECK(totals.holder_number("one") == one);
  totals.add(MonitorKind::kEnter, 1, here, 100, {one, there});
  totals.add(MonitorKind::kEnter, 1, here, 50, {one, there});
  totals.add(MonitorKind::kEnter, 1, here, 7, {one, kNoTrace});
  totals.add(MonitorKind::kEnter, 1, here, 400, {two, there});
  totals.add(MonitorKind::kEnter, 1, here, 1000);
  totals.add(MonitorKind::kEnter, 2, here, 2000, {two, here});

  const std::vector<MonitorTime> found = totals.read(*traces);
  REQUIRE(found.size() == 2);
  REQUIRE(found[0].holders.size() == 1);
  CHECK(found[0].holders[0].thread == "two");
  CHECK(found[1].count == 5);
  CHECK(found[1].ns == 1557);
  REQUIRE(found[1].holders.size() == 3);
  CHECK(found[1].holders[0].thread == "two");
  CHECK(found[1].holders[0].ns == 400);
  CHECK(found[1].holders[1].thread == "one");
  CHECK(found[1].holders[1].count == 2);
  CHECK(found[1].holders[1].ns == 150);
  CHECK(found[1].holders[1].frames == std::vector<Frame>{{11, 3}});
  CHECK(found[1].holders[2].ns == 7);
  CHECK(found[1].holders[2].frames.empty());
}

TEST_CASE("Monitor totals without room keep every wait and say its class") {
  const auto traces = CallTree::create(kMaxTraces, 1);
  REQUIRE(traces);
  MonitorTotals totals;
  constexpr NameId kWaits = 3 * MonitorTotals::kMostTotals / 2;
  for (NameId i = 1; i <= kWaits; ++i) {
    totals.add(MonitorKind::kEnter, 1 + i % 7, trace_of(*traces, i), 1);
  }
  const std::vector<MonitorTime> found = totals.read(*traces);
  CHECK(found.size() <= MonitorTotals::kMostTotals + MonitorTotals::kMostClasses);
  std::int64_t count = 0, without_stack = 0;
  for (const MonitorTime& monitor : found) {
    count += monitor.count;
    if (!monitor.frames.empty()) continue;
    without_stack += monitor.count;
    CHECK(monitor.class_id >= 1);
    CHECK(monitor.class_id <= 7);
  }
  CHECK(count == kWaits);
  CHECK(without_stack > 0);
}

TEST_CASE("A holder is told by its number, and those without room are told together") {
  ddm::MonitorTotals totals;
  const ddm::ThreadNumber first = totals.holder_number("first");
  for (int i = 0; i < 10'000; ++i) totals.holder_number("thread " + std::to_string(i));
  CHECK(totals.holder_number("first") == first);
  CHECK(totals.holder_name(first) == "first");
  CHECK(totals.holder_name(totals.holder_number("thread 7")) == "thread 7");
  CHECK(totals.holder_name(totals.holder_number("one more")) == ddm::ThreadNumbers::kOthers);
  CHECK(totals.holder_name(12'345) == "");
}

TEST_CASE("Monitor totals of many threads lose nothing") {
  const auto traces = CallTree::create(100, 1);
  REQUIRE(traces);
  MonitorTotals totals;
  std::vector<std::thread> threads;
  for (NameId t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (NameId i = 0; i < 10'000; ++i) totals.add(MonitorKind::kWait, i % 5, kNoTrace, 2);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t count = 0, ns = 0;
  for (const MonitorTime& monitor : totals.read(*traces)) count += monitor.count, ns += monitor.ns;
  CHECK(count == 40'000);
  CHECK(ns == 80'000);
}
