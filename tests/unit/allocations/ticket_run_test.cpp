#include "allocations/store/ticket_run.h"

#include <catch2/catch.hpp>

namespace ddm {
namespace {

// A ring's counter, from which others draw, too.
struct Counter {
  std::uint64_t next = 1;
  int draws = 0;

  std::uint64_t ticket(TicketRun& run, std::int64_t time_ms, std::uint64_t of = 7,
                       std::uint32_t most = TicketRun::kMost) {
    const auto draw = [this](std::uint32_t count) {
      ++draws;
      const std::uint64_t first = next;
      next += count;
      return first;
    };
    return run.next(of, time_ms, most, draw, [this] { return next; });
  }
};

// A thread meets another one each time that it draws, until it gets several at once. The first of
// those; the others are left.
std::uint64_t draw_several(Counter& counter, TicketRun& run, std::int64_t time_ms) {
  for (int i = 0; i < 1000 || !run.empty(); ++i) {
    counter.ticket(run, time_ms);
    if (run.empty()) counter.next += TicketRun::kMost;
  }
  CHECK(run.likely() == 0);
  const std::uint64_t first = counter.ticket(run, time_ms);
  REQUIRE_FALSE(run.empty());
  return first;
}

TEST_CASE("a thread that meets nobody draws one ticket at a time") {
  Counter counter;
  TicketRun run;
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    CHECK(counter.ticket(run, 5) == i);
    CHECK(run.likely() == i + 1);
  }
  CHECK(counter.draws == 1000);
}

TEST_CASE("a thread that meets others draws several, and uses them in their order") {
  Counter counter;
  TicketRun run;
  const std::uint64_t first = draw_several(counter, run, 5);
  counter.next += 10'000;
  for (std::uint64_t i = 1; i < TicketRun::kMost; ++i) CHECK(counter.ticket(run, 5) == first + i);
  CHECK(run.empty());
  CHECK(counter.ticket(run, 5) > first + 10'000);
}

TEST_CASE("a thread that records little leaves nothing unused, whom ever it meets") {
  Counter counter;
  TicketRun run;
  for (std::int64_t tick = 1; tick < 100; ++tick) {
    for (int i = 0; i < 30; ++i) {
      counter.ticket(run, tick);
      CHECK(run.empty());
      ++counter.next;
    }
  }
}

TEST_CASE("tickets that are left are used later only while few others were drawn since") {
  Counter counter;
  TicketRun run;
  const std::uint64_t first = draw_several(counter, run, 5);
  counter.next += TicketRun::kNear;
  CHECK(counter.ticket(run, 6) == first + 1);
  ++counter.next;
  CHECK(counter.ticket(run, 6) == first + 2);
  CHECK(counter.ticket(run, 7) > first + TicketRun::kNear);
}

TEST_CASE("tickets are of one ring, and of no more at once than it gives") {
  Counter counter;
  TicketRun run;
  const std::uint64_t first = draw_several(counter, run, 5);
  CHECK(counter.ticket(run, 5, 8) > first + 1);
  Counter small;
  TicketRun other;
  for (int i = 0; i < 1000; ++i) {
    small.ticket(other, 5, 9, 1);
    CHECK(other.empty());
    ++small.next;
  }
}

}  // namespace
}  // namespace ddm
