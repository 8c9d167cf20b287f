#include "time/calls/sampled_calls.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

using namespace ddm;

namespace {

// "1+5 at 10": thread 1 enters 5 at 10 us.
std::vector<std::string> told(SampledCalls& calls) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : calls.take()) {
    lines.push_back(std::to_string(event.thread) +
                    (event.action == TraceEvent::kEnter ? "+" : "-") +
                    std::to_string(event.method) + " at " + std::to_string(event.wall_micros));
  }
  return lines;
}

void add(SampledCalls& calls, std::uint16_t thread, std::vector<std::uint32_t> stack,
         std::uint64_t at) {
  calls.add(thread, stack, at, at / 2);
}

}  // namespace

TEST_CASE("what two stacks have in common goes on between them") {
  SampledCalls calls(100);
  add(calls, 1, {7, 8, 9}, 10);
  add(calls, 1, {7, 8, 9}, 20);
  add(calls, 1, {7, 8, 5, 6}, 30);
  add(calls, 1, {7}, 40);
  calls.end(1, true, 50);
  CHECK(told(calls) == std::vector<std::string>{"1+7 at 10", "1+8 at 10", "1+9 at 10", "1-9 at 30",
                                                "1+5 at 30", "1+6 at 30", "1-6 at 40", "1-5 at 40",
                                                "1-8 at 40", "1-7 at 50"});
}

TEST_CASE("a recursion that gets deeper or less deep keeps its outer calls") {
  SampledCalls calls(100);
  add(calls, 1, {4, 4}, 0);
  add(calls, 1, {4, 4, 4}, 1);
  add(calls, 1, {4}, 2);
  calls.end(1, true, 3);
  CHECK(told(calls) == std::vector<std::string>{"1+4 at 0", "1+4 at 0", "1+4 at 1", "1-4 at 2",
                                                "1-4 at 2", "1-4 at 3"});
}

TEST_CASE("threads are told apart, and one that has ended does so at its last stack") {
  SampledCalls calls(100);
  add(calls, 1, {1}, 10);
  add(calls, 2, {2}, 20);
  calls.end(1, false, 100);
  calls.end(2, true, 100);
  calls.end(3, true, 100);  // never seen
  CHECK(told(calls) ==
        std::vector<std::string>{"1+1 at 10", "1-1 at 10", "2+2 at 20", "2-2 at 100"});
}

TEST_CASE("when the room is full what is open still ends") {
  SampledCalls calls(3);
  add(calls, 1, {1, 2}, 10);
  CHECK_FALSE(calls.overflow());
  add(calls, 1, {1, 3}, 20);
  add(calls, 1, {1, 4}, 30);
  CHECK(calls.overflow());
  calls.end(1, true, 40);
  CHECK(told(calls) == std::vector<std::string>{"1+1 at 10", "1+2 at 10", "1-2 at 20", "1+3 at 20",
                                                "1-3 at 40", "1-1 at 40"});
}

TEST_CASE("an empty stack ends all calls") {
  SampledCalls calls(100);
  add(calls, 1, {1, 2}, 10);
  add(calls, 1, {}, 20);
  calls.end(1, true, 30);
  CHECK(told(calls) ==
        std::vector<std::string>{"1+1 at 10", "1+2 at 10", "1-2 at 20", "1-1 at 20"});
}
