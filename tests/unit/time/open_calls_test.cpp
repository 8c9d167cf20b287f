#include "time/calls/open_calls.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>
#include <random>
#include <utility>
#include <vector>

using ddm::OpenCalls;

namespace {

struct Seen {
  ddm::MethodNumber method;
  ddm::Ticks total, self;
  bool outermost, unseen;
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> open_at(const OpenCalls& calls, ddm::Ticks now, ddm::Ticks from) {
  std::vector<Seen> seen;
  const auto see = [&](const OpenCalls::Ended& open) {
    seen.push_back({open.method, open.total, open.self, open.outermost, false});
  };
  calls.for_each(now, see, from);
  return seen;
}

std::vector<Seen> leave(OpenCalls& calls, ddm::MethodNumber method, ddm::Ticks now) {
  std::vector<Seen> seen;
  calls.leave(method, now, now, [&](const OpenCalls::Ended& ended, bool unseen) {
    seen.push_back({ended.method, ended.total, ended.self, ended.outermost, unseen});
  });
  return seen;
}

}  // namespace

TEST_CASE("what callees take is not the caller's own time") {
  OpenCalls calls;
  calls.enter(1, 100, 0);
  calls.enter(2, 130, 0);
  CHECK(leave(calls, 2, 170) == std::vector<Seen>{{2, 40, 40, true, false}});
  calls.enter(2, 180, 0);
  CHECK(leave(calls, 2, 190) == std::vector<Seen>{{2, 10, 10, true, false}});
  CHECK(leave(calls, 1, 200) == std::vector<Seen>{{1, 100, 50, true, false}});
  CHECK(calls.depth() == 0);
}

TEST_CASE("a call during which the clock went back took no time") {
  OpenCalls calls;
  calls.enter(1, 100, 0);
  calls.enter(2, 130, 0);
  CHECK(leave(calls, 2, 50) == std::vector<Seen>{{2, 0, 0, true, false}});
  CHECK(leave(calls, 1, 60) == std::vector<Seen>{{1, 0, 0, true, false}});
}

TEST_CASE("of a recursion only the outermost call counts in total") {
  OpenCalls calls;
  calls.enter(7, 0, 0);
  calls.enter(7 + 128, 1, 0);  // another method that shares its bit
  calls.enter(7, 2, 0);
  CHECK_FALSE(leave(calls, 7, 3).at(0).outermost);
  CHECK(leave(calls, 7 + 128, 4).at(0).outermost);
  CHECK(leave(calls, 7, 5).at(0).outermost);
}

TEST_CASE("which calls are outermost is right for methods of all numbers in any order") {
  OpenCalls calls;
  std::minstd_rand random(7);
  std::vector<ddm::MethodNumber> open;
  const auto open_before = [&](std::size_t end, ddm::MethodNumber method) {
    const auto last = open.begin() + static_cast<std::ptrdiff_t>(end);
    return std::find(open.begin(), last, method) != last;
  };
  for (int i = 0; i < 100'000; ++i) {
    const auto method = static_cast<ddm::MethodNumber>(128 * (random() % 6) + random() % 3);
    if (open.size() < 40 && random() % 5 < 3) {
      calls.enter(method, 0, 0);
      open.push_back(method);
      continue;
    }
    if (random() % 50 == 0) {
      std::vector<bool> runs;
      std::vector<ddm::MethodNumber> kept;
      for (const ddm::MethodNumber one : open) {
        runs.push_back(random() % 2 == 0);
        if (runs.back()) kept.push_back(one);
      }
      calls.end_unseen(runs, 0, 0, [](const OpenCalls::Ended&) {});
      open = std::move(kept);
      continue;
    }
    const std::vector<Seen> ended = leave(calls, method, 0);
    if (!open_before(open.size(), method)) {
      REQUIRE(ended.empty());
      continue;
    }
    for (const Seen& one : ended) {
      REQUIRE(one.method == open.back());
      REQUIRE(one.outermost == !open_before(open.size() - 1, one.method));
      open.pop_back();
    }
    REQUIRE(ended.back().method == method);
  }
}

TEST_CASE("a call takes no longer within a deep recursion") {
  constexpr ddm::MethodNumber kMethods = 512;  // some are in the same chain as the recursion's
  const auto time_of_calls = [](std::size_t depth) {
    OpenCalls calls;
    for (std::size_t i = 0; i < depth; ++i) calls.enter(1, 0, 0);
    const std::clock_t begin = std::clock();
    for (ddm::MethodNumber method = 2; method < kMethods; ++method) {
      for (int i = 0; i < 1'000; ++i) {
        calls.enter(method, 0, 0);
        calls.leave(method, 0, 0, [](const OpenCalls::Ended&, bool) {});
        // Without an entry.
        calls.leave(method, 0, 0, [](const OpenCalls::Ended&, bool) {});
      }
    }
    return std::clock() - begin + 1;
  };
  CHECK(time_of_calls(100'000) < 20 * time_of_calls(1) + CLOCKS_PER_SEC / 20);
}

TEST_CASE("calls whose end was not seen end with their caller") {
  OpenCalls calls;
  calls.enter(1, 0, 0);
  calls.enter(2, 10, 0);
  calls.enter(3, 20, 0);
  CHECK(leave(calls, 1, 50) == std::vector<Seen>{{3, 30, 30, true, true},
                                                 {2, 40, 10, true, true},
                                                 {1, 50, 10, true, false}});
}

TEST_CASE("an exit without an entry changes nothing") {
  OpenCalls calls;
  CHECK(leave(calls, 5, 1).empty());
  calls.enter(1, 0, 0);
  CHECK(leave(calls, 5, 1).empty());
  CHECK(calls.depth() == 1);
}

TEST_CASE("stacks of many thousand calls are followed, and deeper ones refused") {
  OpenCalls calls;
  std::size_t entered = 0;
  while (calls.enter(static_cast<ddm::MethodNumber>(entered % 50), entered, 0)) ++entered;
  CHECK(entered == OpenCalls::kMostDepth);
  while (calls.depth() > 0) {
    const std::size_t top = calls.depth() - 1;
    CHECK(leave(calls, static_cast<ddm::MethodNumber>(top % 50), entered).size() == 1);
    if (calls.depth() < entered - 100) break;
  }
  calls.clear();
  CHECK(calls.depth() == 0);
  CHECK(calls.enter(3, 0, 0));
  CHECK(leave(calls, 3, 1).at(0).outermost);
}

TEST_CASE("open calls show the time so far") {
  OpenCalls calls;
  calls.enter(1, 100, 0);
  calls.enter(2, 150, 0);
  CHECK(open_at(calls, 200, 0) ==
        std::vector<Seen>{{2, 50, 50, true, false}, {1, 100, 50, true, false}});
}

TEST_CASE("calls that are open when the sums begin anew count from then on") {
  OpenCalls calls;
  calls.enter(1, 100, 0);
  calls.enter(2, 110, 0);
  leave(calls, 2, 150);
  calls.enter(3, 160, 0);
  const std::vector<Seen> since{{3, 30, 30, true, false}, {1, 30, 0, true, false}};
  CHECK(open_at(calls, 230, 200) == since);  // of a thread that has had no event since 200
  calls.count_from(200);
  CHECK(open_at(calls, 230, 200) == since);
  calls.enter(4, 240, 0);
  CHECK(leave(calls, 4, 250) == std::vector<Seen>{{4, 10, 10, true, false}});
  calls.count_from(200);  // again changes nothing
  CHECK(open_at(calls, 260, 200) ==
        std::vector<Seen>{{3, 60, 50, true, false}, {1, 60, 0, true, false}});
  CHECK(leave(calls, 3, 260) == std::vector<Seen>{{3, 60, 50, true, false}});
  CHECK(leave(calls, 1, 290) == std::vector<Seen>{{1, 90, 30, true, false}});
}

TEST_CASE("a call has no more CPU time than time") {
  OpenCalls calls;
  calls.enter(1, 100, 1000);
  calls.count_from(180);
  ddm::Ticks cpu = 0;
  calls.leave(1, 200, 1070, [&](const OpenCalls::Ended& ended, bool) { cpu = ended.cpu; });
  CHECK(cpu == 20);
}

TEST_CASE("a virtual thread is charged for its carriers while it is on them") {
  OpenCalls calls;
  const int carrier = 0, other = 0;
  const ddm::Ticks begin = calls.carrier_cpu.at(&carrier, 1000, 10'000);
  CHECK(calls.carrier_cpu.at(&carrier, 1300, 10'400) - begin == 300);
  CHECK(calls.carrier_cpu.at(&other, 90'000, 11'000) - begin ==
        300);  // a carrier that has used more
  CHECK(calls.carrier_cpu.at(&other, 90'050, 11'100) - begin == 350);
  CHECK(calls.carrier_cpu.at(&carrier, 1350, 11'200) - begin ==
        350);  // back on one that has used less
  CHECK(calls.carrier_cpu.at(&carrier, 1400, 11'300) - begin == 400);
  calls.carrier_cpu.remounted();
  CHECK(calls.carrier_cpu.at(&carrier, 1450, 11'400) - begin == 400);
  // No thread uses more CPU than time passes.
  CHECK(calls.carrier_cpu.at(&carrier, 5000, 11'420) - begin == 420);
}

TEST_CASE("the time of a call that is not counted is its caller's, what it calls is not") {
  OpenCalls calls;
  calls.enter(1, 100, 0, 11);
  calls.enter(2, 120, 0, 11, false, /*counted=*/false);
  calls.enter(3, 130, 0, 13);
  std::vector<ddm::Ticks> open;
  calls.for_each(150, [&](const OpenCalls::Ended& call) {
    if (call.counted) open.push_back(call.self);
  });
  CHECK(open == std::vector<ddm::Ticks>{20, 30});
  CHECK(leave(calls, 3, 160) == std::vector<Seen>{{3, 30, 30, true, false}});
  CHECK(calls.path() == 11);
  leave(calls, 2, 190);
  CHECK(leave(calls, 1, 200) == std::vector<Seen>{{1, 100, 70, true, false}});
}

TEST_CASE("calls that do not run any more are ended among those that do") {
  OpenCalls calls;
  calls.enter(1, 0, 0);
  calls.enter(2, 10, 0);  // runs
  calls.enter(3, 20, 0);
  calls.enter(2, 30, 0);
  calls.enter(4, 40, 0);  // runs
  CHECK(calls.which_still_run({4, 2, 1}) == std::vector<bool>{true, false, false, true, true});
  CHECK(calls.which_still_run({9, 4, 9, 3, 2, 9}) ==
        std::vector<bool>{false, true, true, false, true});
  CHECK_FALSE(calls.which_still_run({4, 1, 2}));  // in no such order
  std::vector<ddm::MethodNumber> ended;
  calls.end_unseen({true, true, false, false, true}, 50, 50,
                   [&](const OpenCalls::Ended& call) { ended.push_back(call.method); });
  CHECK(ended == std::vector<ddm::MethodNumber>{2, 3});
  CHECK(calls.depth() == 3);
  CHECK(leave(calls, 4, 60) == std::vector<Seen>{{4, 20, 20, true, false}});
  CHECK(leave(calls, 3, 70).empty());
  CHECK(leave(calls, 2, 80).at(0).outermost);
  CHECK(leave(calls, 1, 90).size() == 1);
}

TEST_CASE("open calls are looked at when they are many, and then when they are twice as many") {
  OpenCalls calls;
  const auto enter_until_due = [&] {
    while (!calls.is_due()) calls.enter(1, 0, 0);
    return calls.depth();
  };
  const std::size_t first = enter_until_due();
  CHECK(first >= 256);
  calls.checked();
  CHECK(enter_until_due() == 2 * first);
  CHECK(calls.is_deep());
  calls.clear();
  calls.checked();
  CHECK(enter_until_due() == first);
}

TEST_CASE("open calls are looked at after many calls, however deep these are") {
  OpenCalls calls;
  calls.enter(1, 0, 0);
  std::size_t entered = 1;
  for (; !calls.is_due(); ++entered) {
    calls.enter(2, 10, 0);
    leave(calls, 2, 20);
  }
  CHECK(entered > 10'000);
  CHECK(entered < 100'000);
  CHECK_FALSE(calls.is_deep());
  calls.checked();
  CHECK_FALSE(calls.is_due());
}
