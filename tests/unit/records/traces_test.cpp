#include "stack/traces/traces.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <map>
#include <set>
#include <thread>
#include <vector>

namespace ddm {
namespace {

std::uint64_t mixed(std::uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15ull; }

std::vector<Frame> stack_of(std::uint32_t i, std::size_t depth) {
  std::vector<Frame> frames;
  for (std::size_t k = 0; k < depth; ++k) {
    frames.push_back({i + static_cast<std::uint32_t>(k), static_cast<std::int32_t>(k) - 1});
  }
  return frames;
}

TEST_CASE("A stack has one number and its frames are found by it") {
  const auto traces = Traces::create(2000, 8);  // some of it is for shortened ones
  std::set<TraceNumber> numbers;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto frames = stack_of(i + 1, i % 8 + 1);
    const TraceNumber number = traces->number_of(mixed(i), frames);
    CHECK(traces->number_of(mixed(i), frames) == number);
    numbers.insert(number);
    std::array<Frame, 8> read;
    const std::size_t count = traces->read(number, read);
    CHECK(std::vector<Frame>(read.begin(), read.begin() + count) == frames);
    CHECK(!traces->cut(number));
  }
  CHECK(numbers.size() == 1000);
  CHECK(traces->count() == 1000);
}

TEST_CASE("A stack of more frames than are kept is cut and says so") {
  const auto traces = Traces::create(10, 3);
  const TraceNumber number = traces->number_of(mixed(1), stack_of(7, 4));
  std::array<Frame, 8> read;
  CHECK(traces->read(number, read) == 3);
  CHECK(read[2] == stack_of(7, 4)[2]);
  CHECK(traces->cut(number));
  const TraceNumber whole = traces->number_of(mixed(2), stack_of(7, 3));
  CHECK(!traces->cut(whole));
  CHECK(traces->read(whole, read) == 3);
}

TEST_CASE("Stacks beyond those that there is room for have no number, and the others keep theirs") {
  const auto traces = Traces::create(3, 4);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const TraceNumber number = traces->number_of(mixed(i), stack_of(i, 2));
    CHECK((number == kNoTrace) == (i >= 3));
  }
  CHECK(traces->number_of(mixed(1), stack_of(1, 2)) == kEmptyTrace + 2);
  CHECK(traces->number_of(0, {}) == kEmptyTrace);
  CHECK(traces->count() == 3);
}

TEST_CASE("A stack that finds no room in full is kept by its innermost frames") {
  const auto traces = Traces::create(64, 32);
  std::array<Frame, 32> read;
  std::map<std::size_t, int> depths;
  for (std::uint32_t i = 0; i < 100; ++i) {
    std::vector<Frame> frames = stack_of(1, 20);
    frames[i < 80 ? 17 : 5].method = 100 + i;
    const TraceNumber number = traces->number_of(mixed(i), frames);
    CHECK(traces->number_lately(mixed(i)) == kNoTrace);
    CHECK(traces->known_number_of(mixed(i)) == number);  // also of a shortened one
    CHECK(traces->number_lately(mixed(i)) == (traces->shortened(number) ? kNoTrace : number));
    CHECK(traces->known_number_of(mixed(i + 1)) == kNoTrace);
    const std::size_t count = traces->read(number, read);
    ++depths[count];
    CHECK(std::equal(read.begin(), read.begin() + count, frames.begin()));
    CHECK(traces->shortened(number) == (count < 20));
    CHECK(traces->cut(number) == (count < 20));
  }
  // Three quarters of 48 in full, then one of 16 frames for the first ones and 5 for others, then 4.
  CHECK(depths == std::map<std::size_t, int>{{20, 36}, {16, 44 + 5}, {4, 15}});
  CHECK(traces->count() == 36 + 6 + 1);
}

TEST_CASE("With no room for four frames a stack is kept by the one that allocates") {
  const auto traces = Traces::create(16, 32);  // 2 of 16 frames, 1 of 4, 1 of one
  std::map<std::size_t, int> depths;
  for (std::uint32_t i = 0; i < 100; ++i) {
    std::vector<Frame> frames = stack_of(1, 20);
    frames[1].method = 100 + i;
    ++depths[traces->size(traces->number_of(mixed(i), frames))];
  }
  CHECK(depths == std::map<std::size_t, int>{{20, 9}, {16, 2}, {4, 1}, {1, 88}});
}

TEST_CASE("What comes up often is kept in full, however many came up once before it") {
  const auto traces = Traces::create(4096, 64);
  std::uint32_t made = 0;
  const auto once = [&](std::uint32_t count) {
    for (const std::uint32_t end = made + count; made < end; ++made) {
      traces->number_of(mixed(made), stack_of(10 * made, 40));
    }
  };
  for (std::uint32_t phase = 0; phase < 7; ++phase) {
    once(50'000);
    std::vector<TraceNumber> numbers;
    for (std::uint32_t hot = 0; hot < 100; ++hot) {
      const std::uint32_t which = 1'000'000'000 + 1000 * phase + hot;
      const auto frames = stack_of(which, 40);
      int shortened = 0;
      TraceNumber number = kNoTrace;
      for (int hit = 0; hit < 20'000; ++hit) {
        number = traces->number_of(mixed(which), frames);
        if (number == kNoTrace || traces->shortened(number)) ++shortened;
      }
      CHECK(shortened < 2'000);
      std::array<Frame, 64> read;
      const std::size_t count = traces->read(number, read);
      CHECK(std::vector<Frame>(read.begin(), read.begin() + count) == frames);
    }
  }
  CHECK(traces->count() <= 4096);
}

TEST_CASE("The less room is left, the more often a stack has to come up") {
  TraceRoom room;
  CHECK(!room.is_open_to(1'000'000));
  room.set_size(64);
  std::map<std::uint32_t, int> places;
  while (room.has_left()) {
    std::uint32_t needed = 1;
    while (!room.is_open_to(needed)) ++needed;
    ++places[needed];
    room.take();
  }
  CHECK(places ==
        std::map<std::uint32_t, int>{{1, 48}, {4, 8}, {16, 4}, {64, 2}, {256, 1}, {1024, 1}});
  CHECK(!room.is_open_to(std::numeric_limits<std::uint32_t>::max() - 1));
}

// Of stacks that share a set of SeldomStacks.
std::uint64_t beside(std::uint64_t i) {
  return mixed(i) / SeldomStacks::kSets * SeldomStacks::kSets;
}

TEST_CASE("Stacks that come up in turns are kept in full, though they share a set") {
  const auto traces = Traces::create(4096, 64);
  for (std::uint32_t i = 0; i < 50'000; ++i) traces->number_of(mixed(i), stack_of(10 * i, 40));
  for (int turn = 0; turn < 10; ++turn) {
    for (std::uint32_t k = 0; k < SeldomStacks::kPlaces; ++k) {
      const auto number =
          traces->number_of(beside(1'000'000 + k), stack_of(1'000'000 + 100 * k, 40));
      CHECK((number != kNoTrace && !traces->shortened(number)) == (turn >= 3));
    }
  }
}

TEST_CASE("A newcomer takes the place of the stack with the fewest hits") {
  SeldomStacks seldom;
  REQUIRE(seldom.good());
  CHECK(seldom.hit(beside(1)).hits == 0);
  for (std::uint32_t k = 1; k <= SeldomStacks::kPlaces; ++k)
    seldom.put(beside(k), {10 * k, 70 + k});
  CHECK(seldom.hit(beside(1)).hits == 11);
  CHECK(seldom.hit(beside(1)).shortened == 71);
  CHECK(seldom.find(beside(1)).hits == 12);
  seldom.put(beside(5), {1, 75});
  CHECK(seldom.find(beside(1)).hits == 0);
  CHECK(seldom.find(beside(5)).hits == 1);
  CHECK(seldom.find(beside(5)).shortened == 75);
  seldom.put(beside(5), {6, 76});  // no newcomer
  CHECK(seldom.find(beside(5)).hits == 6);
  CHECK(seldom.find(beside(5)).shortened == 76);
}

TEST_CASE("Newcomers cost one of the others a hit, in turns, so that old hits are worth less") {
  SeldomStacks seldom;
  for (std::uint32_t k = 1; k <= SeldomStacks::kPlaces; ++k) seldom.put(beside(k), {100, 70 + k});
  std::uint32_t came = 0;
  while (seldom.find(beside(2)).hits != 0 && came < 1000)
    seldom.put(beside(1000 + came++), {1, 77});
  CHECK(came > 300);
  CHECK(came < 500);
}

TEST_CASE("A stack that has a number of its own leaves its place") {
  SeldomStacks seldom;
  seldom.put(beside(1), {4, 71});
  seldom.put(beside(2), {2, 72});
  seldom.forget(beside(1));
  seldom.forget(beside(3));
  CHECK(seldom.find(beside(1)).hits == 0);
  CHECK(seldom.find(beside(2)).shortened == 72);
}

TEST_CASE("Traces of no size, and of more than there are numbers, are refused") {
  CHECK(Traces::create(0, 16) == nullptr);
  CHECK(Traces::create(kMaxTraces + 1, 16) == nullptr);
  CHECK(Traces::create(16, 0) == nullptr);
  CHECK(Traces::create(kMaxTraces, kMaxDepth) != nullptr);
}

TEST_CASE("Threads that see the same new stacks at once agree on their numbers and frames") {
  const auto traces = Traces::create(4096, 16);
  std::vector<std::vector<TraceNumber>> seen(4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < 1000; ++i) {
        const auto frames = stack_of(i, i % 16 + 1);
        mine.push_back(traces->number_of(mixed(i), frames));
        std::array<Frame, 16> read;
        const std::size_t count = traces->read(mine.back(), read);
        if (std::vector<Frame>(read.begin(), read.begin() + count) != frames) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  for (const auto& mine : seen) CHECK(mine == seen[0]);
  CHECK(std::set<TraceNumber>(seen[0].begin(), seen[0].end()).size() == 1000);
}

TEST_CASE("The methods of all stacks are names in use") {
  const auto traces = Traces::create(16, 4);
  traces->number_of(mixed(1), stack_of(5, 3));
  NamesInUse used;
  traces->add_names(used);
  CHECK(used.methods == std::unordered_set<NameId>{5, 6, 7});
}

}  // namespace
}  // namespace ddm
