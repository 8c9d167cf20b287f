#include "trace_sums.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "call_tree_text.h"
#include "idle_samples.h"

using ddm::MethodTrace;
using ddm::TraceEvent;

TEST_CASE("a trace comes to calls, total and own time by method, and to stacks") {
  MethodTrace trace;
  trace.threads = {{1, "ma;in"}, {2, "other"}};
  trace.methods[0] = {"a.A", "outer", "()V", "", -1};
  trace.methods[1] = {"a.A", "inner", "()V", "", -1};
  const auto event = [&](std::uint64_t at, std::uint32_t method, TraceEvent::Action action,
                         std::uint16_t thread = 1) {
    trace.events.push_back({at, 0, method, thread, action});
  };
  event(0, 0, TraceEvent::kEnter);
  event(10, 1, TraceEvent::kEnter);
  event(11, 0, TraceEvent::kEnter, 2);  // has no end
  event(15, 1, TraceEvent::kEnter);     // recursion
  event(20, 1, TraceEvent::kThrow);
  event(30, 1, TraceEvent::kReturn);
  event(100, 0, TraceEvent::kReturn);
  event(111, 1, TraceEvent::kReturn, 2);  // was not entered
  const ddm::TraceSums sums = ddm::sums_of(trace);
  REQUIRE(sums.methods.size() == 2);
  CHECK(sums.methods[0].method == 0);
  CHECK(sums.methods[0].calls == 2);
  CHECK(sums.methods[0].total_micros == 100 + 100);
  CHECK(sums.methods[0].self_micros == 80 + 100);
  CHECK(sums.methods[1].calls == 2);
  CHECK(sums.methods[1].exceptions == 1);
  CHECK(sums.methods[1].total_micros == 20);
  CHECK(sums.methods[1].self_micros == 20);
  CHECK(ddm::collapsed_of(trace, sums) ==
        "ma:in;a.A.outer 80\n"
        "ma:in;a.A.outer;a.A.inner 15\n"
        "ma:in;a.A.outer;a.A.inner;a.A.inner 5\n"
        "other;a.A.outer 100\n");
  // The same without threads: outer, inner in it, inner in that.
  REQUIRE(sums.paths.size() == 3);
  CHECK(sums.paths[0].caller == -1);
  CHECK(sums.paths[0].sum.calls == 2);
  CHECK(sums.paths[0].sum.self_micros == 180);
  CHECK(sums.paths[1].caller == 0);
  CHECK(sums.paths[1].sum.self_micros == 15);
  CHECK(sums.paths[1].sum.exceptions == 0);
  CHECK(sums.paths[2].caller == 1);
  CHECK(sums.paths[2].sum.self_micros == 5);
  CHECK(sums.paths[2].sum.exceptions == 1);
}

TEST_CASE("stacks of threads of one name are one line, and deep recursion takes no long time") {
  constexpr std::uint32_t kDepth = 50'000;
  MethodTrace trace;
  trace.threads = {{1, "pool"}, {2, "pool"}};
  trace.methods[0] = {"a.A", "again", "()V", "", -1};
  const auto event = [&](std::uint64_t at, std::uint16_t thread, TraceEvent::Action action) {
    trace.events.push_back({at, 0, 0, thread, action});
  };
  for (const std::uint16_t thread : {1, 2}) {
    event(0, thread, TraceEvent::kEnter);
    event(7, thread, TraceEvent::kReturn);
  }
  CHECK(ddm::collapsed_of(trace, ddm::sums_of(trace)) == "pool;a.A.again 14\n");
  trace.events.clear();
  for (std::uint32_t i = 0; i < kDepth; ++i) event(i, 1, TraceEvent::kEnter);
  for (std::uint32_t i = 0; i < kDepth; ++i) event(kDepth + i, 1, TraceEvent::kReturn);
  const ddm::TraceSums sums = ddm::sums_of(trace);
  CHECK(sums.paths.size() == kDepth);
  CHECK(sums.stacks.size() == kDepth);
  CHECK(sums.methods[0].self_micros == 2 * kDepth - 1);
}

TEST_CASE("open calls of a trace that did not hold all end with their thread's last event") {
  MethodTrace trace;
  trace.threads = {{1, "busy"}, {2, "rare"}};
  trace.methods[0] = {"a.A", "again", "()V", "", -1};
  trace.events = {{10, 0, 0, 1, TraceEvent::kEnter},
                  {11, 0, 0, 1, TraceEvent::kEnter},
                  {12, 0, 0, 1, TraceEvent::kReturn},
                  {20, 0, 0, 2, TraceEvent::kEnter},
                  {900, 0, 0, 2, TraceEvent::kReturn}};
  CHECK(ddm::sums_of(trace).methods[0].total_micros == 890 + 880);
  trace.overflow = true;
  CHECK(ddm::sums_of(trace).methods[0].total_micros == 2 + 880);
}

TEST_CASE("a trace with CPU times comes to those, too, of a recursion once") {
  MethodTrace trace;
  trace.dual = true;
  trace.methods[0] = {"a.A", "again", "()V", "", -1};
  const auto event = [&](std::uint64_t at, std::uint64_t cpu, TraceEvent::Action action) {
    trace.events.push_back({at, cpu, 0, 1, action});
  };
  event(0, 0, TraceEvent::kEnter);
  event(100, 10, TraceEvent::kEnter);
  event(200, 30, TraceEvent::kReturn);
  event(300, 45, TraceEvent::kReturn);
  const ddm::TraceSums sums = ddm::sums_of(trace);
  REQUIRE(sums.methods.size() == 1);
  CHECK(sums.methods[0].cpu_micros == 45);
  CHECK(sums.methods[0].total_micros == 300);
}

TEST_CASE("a trace is a report of time that says what it lacks") {
  MethodTrace trace;
  trace.methods[5] = {"a.A", "outer", "()V", "A.java", 3};
  trace.methods[9] = {"a.A", "inner", "()V", "", -1};
  trace.events = {{0, 0, 5, 1, TraceEvent::kEnter},
                  {10, 0, 9, 1, TraceEvent::kEnter},
                  {30, 0, 9, 1, TraceEvent::kReturn},
                  {40, 0, 5, 1, TraceEvent::kReturn}};
  trace.elapsed_micros = 5'000;
  ddm::HelloReply hello;
  hello.app = "shop";
  const ddm::TraceNames names(trace);
  const auto report = [&] {
    return ddm::trace_report(trace, ddm::sums_of(trace), names, hello, 1);
  };
  const ddm::ReportData data = report();
  REQUIRE(data.time.methods.size() == 2);
  REQUIRE(data.time.method_paths.size() == 2);
  CHECK(data.summary.app == "shop");
  CHECK(data.summary.tracked_ms == 5);
  CHECK(data.time.incomplete.empty());
  CHECK(data.time.method_paths[1].caller == 0);
  const ddm::MethodTime& inner = data.time.methods[data.time.method_paths[1].method];
  CHECK(inner.method == "inner");
  CHECK(inner.self_ns == 20'000);
  CHECK(names.table->method(inner.name).method == "inner");
  trace.overflow = true;
  CHECK(report().time.incomplete.find("buffer was full before the end: later calls are missing") !=
        std::string::npos);  // from an older agent
  trace.lost = 12'345;
  CHECK(report().time.incomplete.find("12,345 later entries and exits are missing") !=
        std::string::npos);
  trace.overflow = false;
  trace.interval_micros = 1'000;
  trace.rounds = 4;
  CHECK(report().time.incomplete.starts_with("Told from stacks taken every 1.25 ms: "));
  trace.rounds = 2;
  CHECK(report().time.incomplete.find("every 2.5 ms (every 1 ms was asked") != std::string::npos);
  trace.events.clear();
  CHECK(report().time.incomplete == "No thread was met running.");
  trace.interval_micros = 0;
  CHECK(report().time.incomplete == "No call of such a method was seen.");
}

TEST_CASE("a tree of calls has callees below their callers, the longest first") {
  MethodTrace trace;
  trace.events = {{0, 0, 1, 1, TraceEvent::kEnter},       {10'000, 0, 2, 1, TraceEvent::kEnter},
                  {20'000, 0, 2, 1, TraceEvent::kReturn}, {20'000, 0, 3, 1, TraceEvent::kEnter},
                  {30'000, 0, 1, 1, TraceEvent::kEnter},  {70'000, 0, 1, 1, TraceEvent::kReturn},
                  {80'000, 0, 3, 1, TraceEvent::kReturn}, {80'000, 0, 4, 1, TraceEvent::kEnter},
                  {80'001, 0, 4, 1, TraceEvent::kReturn}, {100'000, 0, 1, 1, TraceEvent::kReturn}};
  const std::map<std::uint32_t, std::string> titles = {
      {1, "a.A.run"}, {2, "a.A.two"}, {3, "a.longer.Class.three"}, {4, "a.A.brief"}};
  const ddm::TraceSums sums = ddm::sums_of(trace);
  CHECK(ddm::call_tree_text(sums, titles, 10, 52) ==
        "   TOTAL ms      %       CALLS  CALL TREE\n"
        "    100.000  100.0           1  a.A.run\n"
        "     60.000   60.0           1    a.l.Class.three\n"
        "     40.000   40.0           1      a.A.run\n"
        "     10.000   10.0           1    a.A.two\n");
  CHECK(ddm::call_tree_text(sums, titles, 2, 80).ends_with("and 2 more ways of 1 % and more\n"));
  trace.events = {{0, 0, 1, 1, TraceEvent::kEnter}, {10, 0, 1, 1, TraceEvent::kReturn}};
  CHECK(ddm::call_tree_text(ddm::sums_of(trace), titles, 10, 80).empty());
}

TEST_CASE(
    "a method that calls itself is one line of the tree, with the callees of all its levels") {
  constexpr std::uint64_t kDepth = 500, kMillisecond = 1'000;
  MethodTrace trace;
  std::uint64_t now = 0;
  const auto event = [&](std::uint32_t method, TraceEvent::Action action) {
    trace.events.push_back({now, 0, method, 1, action});
  };
  event(1, TraceEvent::kEnter);
  for (std::uint64_t i = 0; i < kDepth; ++i) {
    event(2, TraceEvent::kEnter);
    event(3, TraceEvent::kEnter);
    now += kMillisecond;
    event(3, TraceEvent::kReturn);
  }
  for (std::uint64_t i = 0; i < kDepth; ++i) event(2, TraceEvent::kReturn);
  event(1, TraceEvent::kReturn);
  const std::map<std::uint32_t, std::string> titles = {
      {1, "shop.Main.main"}, {2, "shop.R.rec"}, {3, "shop.R.leaf"}};
  const ddm::TraceSums sums = ddm::sums_of(trace);
  CHECK(ddm::call_tree_text(sums, titles, 30, 80) ==
        "   TOTAL ms      %       CALLS  CALL TREE\n"
        "    500.000  100.0           1  shop.Main.main\n"
        "    500.000  100.0         500    shop.R.rec (500 deep)\n"
        "    500.000  100.0         500      shop.R.leaf\n");
  // Where there is no room for the name, the depth is kept.
  CHECK(ddm::call_tree_text(sums, titles, 30, 50).find("rec (500 deep)\n") != std::string::npos);
}

TEST_CASE("idle threads are one line of a sampled trace, and the figures are of what ran") {
  MethodTrace trace;
  trace.methods[1] = {"java.lang.Thread", "run", "()V", "", -1};
  trace.methods[2] = {"java.util.concurrent.ThreadPoolExecutor", "getTask", "()V", "", -1};
  trace.methods[3] = {"jdk.internal.misc.Unsafe", "park", "()V", "", -1};
  trace.methods[4] = {"shop.Cart", "pay", "()V", "", -1};
  trace.methods[5] = {"java.util.TimerThread", "mainLoop", "()V", "", -1};
  const auto call = [&](std::uint16_t thread, std::vector<std::uint32_t> methods,
                        std::uint64_t begin, std::uint64_t end) {
    for (const std::uint32_t method : methods) {
      trace.events.push_back({begin, 0, method, thread, TraceEvent::kEnter});
    }
    std::ranges::reverse(methods);
    for (const std::uint32_t method : methods) {
      trace.events.push_back({end, 0, method, thread, TraceEvent::kReturn});
    }
  };
  call(1, {1, 2, 3}, 0, 600);
  call(1, {1, 4}, 600, 700);
  call(2, {1, 5}, 0, 200);
  call(3, {1, 4, 3}, 0, 100);  // waits within a task
  const ddm::IdleSamples idle = ddm::idle_samples(trace, ddm::sums_of(trace));
  CHECK(idle.text().starts_with("idle: 2 threads, 80.0% of the samples"));
  REQUIRE(idle.rest.methods.size() == 3);
  for (const ddm::TraceSum& sum : idle.rest.methods) {
    CHECK(sum.total_micros == (sum.method == 3 ? 100 : 200));
    CHECK(sum.self_micros == (sum.method == 1 ? 0 : 100));
    CHECK(sum.calls == (sum.method == 3 ? 1 : 2));
  }
  // A call that is idle for some of the time is counted.
  trace.events = {{0, 0, 1, 1, TraceEvent::kEnter},    {0, 0, 4, 1, TraceEvent::kEnter},
                  {10, 0, 4, 1, TraceEvent::kReturn},  {10, 0, 5, 1, TraceEvent::kEnter},
                  {100, 0, 5, 1, TraceEvent::kReturn}, {100, 0, 1, 1, TraceEvent::kReturn}};
  const ddm::IdleSamples some = ddm::idle_samples(trace, ddm::sums_of(trace));
  REQUIRE(some.rest.methods.size() == 2);
  for (const ddm::TraceSum& sum : some.rest.methods) {
    CHECK(sum.calls == 1);
    CHECK(sum.total_micros == 10);
  }
  trace.events.clear();
  call(2, {1, 5}, 0, 200);
  call(1, {4}, 0, 0);  // met in one sample, the last one
  const ddm::IdleSamples all = ddm::idle_samples(trace, ddm::sums_of(trace));
  CHECK(all.rest.methods.empty());
  CHECK(all.rest.paths.empty());
  // A request may be slow since it sleeps.
  trace.methods[5] = {"java.lang.Thread", "sleep0", "()V", "", -1};
  CHECK(ddm::idle_samples(trace, ddm::sums_of(trace)).text().empty());
}
