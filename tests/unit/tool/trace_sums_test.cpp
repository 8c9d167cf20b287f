#include "trace_sums.h"

#include <catch2/catch.hpp>

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
  CHECK(sums.stacks == std::map<std::string, std::uint64_t>{{"ma:in;a.A.outer", 80},
                                                            {"ma:in;a.A.outer;a.A.inner", 15},
                                                            {"ma:in;a.A.outer;a.A.inner;a.A.inner", 5},
                                                            {"other;a.A.outer", 100}});
}
