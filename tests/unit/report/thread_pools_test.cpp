#include "report/thread_pools.h"

#include <catch2/catch.hpp>
#include <string>

using ddm::ThreadPools;

TEST_CASE("threads whose names differ in numbers alone have one name, from four on") {
  ThreadPools pools;
  for (const char* name : {"pool-1-thread-1", "pool-1-thread-12", "pool-1-thread-3"}) {
    pools.add(name);
    pools.add(name);
  }
  pools.add("main");
  CHECK(pools.name_of("pool-1-thread-3") == "pool-1-thread-3");
  pools.add("pool-1-thread-7");
  CHECK(pools.name_of("pool-1-thread-3") == "pool-1-thread-* (4 threads)");
  CHECK(pools.name_of("main") == "main");
  CHECK(pools.name_of("another 1") == "another 1");
}

TEST_CASE("each number that differs is a star, at either end of a name, too") {
  ThreadPools pools;
  for (int i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    pools.add(n + "-of-5: 10.0.0." + n + "@8080");
    pools.add(n);
    pools.add("");
  }
  CHECK(pools.name_of("3-of-5: 10.0.0.3@8080") == "*-of-5: 10.0.0.*@8080 (5 threads)");
  CHECK(pools.name_of("3") == "* (5 threads)");
  CHECK(pools.name_of("").empty());
}

TEST_CASE("a pool of many threads is named in the time of one look at each") {
  ThreadPools pools;
  for (int i = 0; i < 20'000; ++i) pools.add("(virtual thread) #" + std::to_string(i));
  for (int i = 0; i < 20'000; ++i) {
    REQUIRE(pools.name_of("(virtual thread) #" + std::to_string(i)) ==
            "(virtual thread) #* (20,000 threads)");
  }
}
