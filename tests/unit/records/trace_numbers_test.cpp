#include <catch2/catch.hpp>

#include <set>
#include <thread>
#include <vector>

#include "records/trace_numbers.h"

namespace ddm {
namespace {

TEST_CASE("A stack has the same number whenever it is seen, and no other stack has it") {
  TraceNumbers traces(1024);
  std::set<TraceNumber> numbers;
  std::uint64_t hash = 12345;
  for (int i = 0; i < 1000; ++i) {
    hash = hash * 0x9E3779B97F4A7C15ull + 7;
    const TraceNumber number = traces.number_of(hash);
    CHECK(number == static_cast<TraceNumber>(i + 1));
    CHECK(traces.number_of(hash) == number);
    numbers.insert(number);
  }
  CHECK(numbers.size() == 1000);
  CHECK(traces.count() == 1000);
}

TEST_CASE("Stacks beyond those that there is room for have no number") {
  TraceNumbers traces(16);
  for (std::uint64_t i = 1; i <= 16; ++i) CHECK(traces.number_of(i << 40) != kNoTrace);
  CHECK(traces.number_of(std::uint64_t{17} << 40) == kNoTrace);
  CHECK(traces.number_of(std::uint64_t{3} << 40) == 3);
}

TEST_CASE("Threads that see the same new stacks at once agree on their numbers") {
  TraceNumbers traces(4096);
  std::vector<std::vector<TraceNumber>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&traces, &mine] {
      for (std::uint64_t i = 1; i <= 1000; ++i) {
        mine.push_back(traces.number_of(i * 0x9E3779B97F4A7C15ull));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) CHECK(mine == seen[0]);
  CHECK(std::set<TraceNumber>(seen[0].begin(), seen[0].end()).size() == 1000);
}

}  // namespace
}  // namespace ddm
