#include "time/calls/call_paths.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace ddm;

namespace {

// The methods of a path, the innermost first.
std::vector<MethodNumber> methods_of(const CallPaths& paths, PathNumber path) {
  std::vector<MethodNumber> methods;
  for (; path != kNoPath; path = paths.caller_of(path)) methods.push_back(paths.method_of(path));
  return methods;
}

}  // namespace

TEST_CASE("a call that nobody timed has made has its method's own number") {
  const auto paths = CallPaths::create();
  REQUIRE(paths);
  CHECK(paths->number_of(kNoPath, 17) == 17);
  CHECK(paths->method_of(17) == 17);
  CHECK(paths->caller_of(17) == kNoPath);
}

TEST_CASE("the same way of calls has the same number, another way another one") {
  const auto paths = CallPaths::create();
  const PathNumber a_b = paths->number_of(0, 1);
  const PathNumber a_b_c = paths->number_of(a_b, 2);
  const PathNumber b_c = paths->number_of(1, 2);
  CHECK(paths->number_of(0, 1) == a_b);
  CHECK(paths->number_of(a_b, 2) == a_b_c);
  CHECK(a_b_c != b_c);
  CHECK(methods_of(*paths, a_b_c) == std::vector<MethodNumber>{2, 1, 0});
  CHECK(methods_of(*paths, b_c) == std::vector<MethodNumber>{2, 1});
  CHECK(paths->number_of(0, 0) >= MethodNumbers::kMost);  // method 0 that calls itself
  CHECK(methods_of(*paths, paths->number_of(0, 0)) == std::vector<MethodNumber>{0, 0});
}

TEST_CASE("a recursion comes to an end of new paths and keeps its innermost callers") {
  const auto paths = CallPaths::create();
  std::vector<PathNumber> seen;
  PathNumber path = kNoPath;
  for (int depth = 0; depth < 100'000; ++depth) {
    path = paths->number_of(path, static_cast<MethodNumber>(depth % 2));
    seen.push_back(path);
    if (depth >= 64) {
      const auto methods = methods_of(*paths, path);
      REQUIRE(methods.size() > CallPaths::kKeptDepth);
      REQUIRE(methods.size() <= CallPaths::kMostDepth);
      REQUIRE(methods[0] == static_cast<MethodNumber>(depth % 2));
      REQUIRE(methods[1] != methods[0]);
    }
  }
  std::sort(seen.begin(), seen.end());
  const auto different = std::unique(seen.begin(), seen.end()) - seen.begin();
  CHECK(different < 300);
}

TEST_CASE("what finds no room is counted by its method alone, and what is known stays known") {
  const auto paths = CallPaths::create();
  const PathNumber first = paths->number_of(1, 2);
  for (MethodNumber method = 0; method < 2 * CallPaths::kMostPaths; ++method) {
    const PathNumber path = paths->number_of(7, method);
    REQUIRE(path < CallPaths::kMost);
    REQUIRE(paths->method_of(path) == method);
  }
  CHECK(paths->number_of(7, 2 * CallPaths::kMostPaths) == 2 * CallPaths::kMostPaths);
  CHECK(paths->full());
  CHECK(paths->number_of(1, 2) == first);
  CHECK(paths->number_of(first, 9) == 9);
}

TEST_CASE("threads that meet a path first at the same time agree on its number") {
  const auto paths = CallPaths::create();
  constexpr int kThreads = 4;
  std::vector<std::vector<PathNumber>> seen(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (MethodNumber a = 0; a < 50; ++a) {
        for (MethodNumber b = 0; b < 50; ++b) {
          seen[static_cast<std::size_t>(t)].push_back(
              paths->number_of(paths->number_of(a, b), a + b));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : seen) CHECK(one == seen[0]);
}
