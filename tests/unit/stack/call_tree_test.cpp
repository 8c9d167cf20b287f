#include "stack/tree/call_tree.h"

#include <array>
#include <catch2/catch.hpp>
#include <limits>
#include <set>
#include <span>
#include <thread>
#include <vector>

namespace ddm {
namespace {

// The outermost frame is the same for all, the others are told apart by `i`.
std::vector<Frame> stack_of(std::uint32_t i, std::size_t depth) {
  std::vector<Frame> frames;
  for (std::size_t k = 0; k + 1 < depth; ++k) {
    frames.push_back({i + static_cast<std::uint32_t>(k), static_cast<std::int32_t>(k) - 1});
  }
  frames.push_back({1, 0});
  return frames;
}

std::vector<Frame> read(const CallTree& tree, TraceNumber number) {
  std::array<Frame, kMaxTreeDepth + 2> room;
  return {room.begin(), room.begin() + static_cast<std::ptrdiff_t>(tree.read(number, room))};
}

TEST_CASE("A stack has one number and its frames are found by it") {
  const auto tree = CallTree::create(4000, 8);
  std::set<TraceNumber> numbers;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const auto frames = stack_of(100 * i, i % 8 + 2 > 8 ? 8 : i % 8 + 2);
    const TraceNumber number = tree->number_of(frames);
    CHECK(tree->number_of(frames) == number);
    numbers.insert(number);
    CHECK(read(*tree, number) == frames);
    CHECK(tree->size(number) == frames.size());
    CHECK(!tree->cut(number));
    CHECK(!tree->has_gap(number));
    CHECK(number <= tree->last());
  }
  CHECK(numbers.size() == 1000);
  CHECK(tree->number_of({}) == kEmptyTrace);
}

TEST_CASE("Stacks share the callers that they have in common") {
  const auto tree = CallTree::create(64, kMaxTreeDepth);
  const auto longest = stack_of(1000, 100);
  const TraceNumber number = tree->number_of(longest);
  CHECK(tree->last() == kCutTrace + 101);  // and one word says who calls them
  TraceNumber caller = number;
  for (std::size_t i = 1; i < longest.size(); ++i) {
    caller = tree->caller(caller);
    CHECK(tree->number_of(std::span(longest).subspan(i)) == caller);
  }
  auto other = longest;
  other[0].bci = 77;
  other[1].bci = 78;
  CHECK(tree->caller(tree->caller(tree->number_of(other))) == tree->caller(tree->caller(number)));
  CHECK(tree->last() == kCutTrace + 104);
}

TraceNumber callee_of(CallTree& tree, TraceNumber caller, Frame frame) {
  TraceNumber number = caller, node = kNoTrace;
  CHECK(tree.descend(number, std::array{frame}, &node) == 0);
  CHECK(node == number);
  return number;
}

TEST_CASE("Who knows a caller's node finds its callees, however many there are") {
  const auto tree = CallTree::create(4096, 16);
  const Frame outermost{1, 0};
  const TraceNumber caller = tree->number_of(std::array{outermost});
  std::set<TraceNumber> numbers;
  for (NameId method = 0; method < 2000; ++method) {
    const Frame frame{method, 5};
    const TraceNumber callee = callee_of(*tree, caller, frame);
    CHECK(tree->caller(callee) == caller);
    CHECK(tree->frame(callee) == frame);
    CHECK(callee_of(*tree, callee, frame) == tree->number_of(std::array{frame, frame, outermost}));
    numbers.insert(callee);
  }
  CHECK(numbers.size() == 2000);
  for (NameId method = 0; method < 2000; ++method) {
    CHECK(numbers.contains(callee_of(*tree, caller, {method, 5})));
  }
}

TEST_CASE("All nodes on the way to a stack are told, old and new, by several threads at once") {
  const auto tree = CallTree::create(4096, 64);
  const TraceNumber caller = tree->number_of(std::array{Frame{1, 0}});
  std::vector<std::vector<TraceNumber>> told(4);
  std::vector<std::thread> threads;
  for (auto& nodes : told) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < 500; ++i) {
        auto frames = stack_of(1000, 40);
        for (std::size_t k = 0; k < i % 40; ++k) frames[k].bci = static_cast<std::int32_t>(i);
        std::array<TraceNumber, 40> found{};
        TraceNumber number = caller;
        if (tree->descend(number, frames, found.data()) != 0 || number != found[0]) return;
        nodes.insert(nodes.end(), found.begin(), found.end());
      }
    });
  }
  for (auto& thread : threads) thread.join();
  REQUIRE(told[0].size() == 500 * 40);
  for (const auto& nodes : told) CHECK(nodes == told[0]);
  for (std::size_t i = 0; i < told[0].size(); ++i) {
    const TraceNumber outer = i % 40 == 39 ? caller : told[0][i + 1];
    REQUIRE(tree->caller(told[0][i]) == outer);
  }
}

TEST_CASE("A stack of more frames than are kept is cut and says so") {
  const auto tree = CallTree::create(10, 3);
  const auto frames = stack_of(7, 4);
  const TraceNumber number = tree->number_of(frames);
  CHECK(read(*tree, number) == std::vector<Frame>(frames.begin(), frames.begin() + 3));
  CHECK(tree->cut(number));
  const TraceNumber whole = tree->number_of(std::span(frames).first(3));
  CHECK(whole != number);
  CHECK(!tree->cut(whole));
  CHECK(read(*tree, whole).size() == 3);
}

TEST_CASE("What finds no room is shown with a gap, below a caller that there is") {
  const auto tree = CallTree::create(64, 64);
  std::size_t with_gap = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    auto frames = stack_of(5000, 40);
    for (std::size_t k = 0; k < 10; ++k) frames[k].method = 100'000 + 100 * i + k;
    frames[0].method = 7;
    const TraceNumber number = tree->number_of(frames);
    REQUIRE(number != kNoTrace);
    CHECK(tree->frame(number) == frames[0]);
    const auto shown = read(*tree, number);
    CHECK(shown.back() == frames.back());
    CHECK(std::equal(shown.rbegin(), shown.rend() - 1, frames.rbegin()));
    CHECK(tree->has_gap(number) == (shown.size() < 40));
    if (tree->has_gap(number)) ++with_gap;
  }
  CHECK(with_gap > 900);
  CHECK(tree->last() < tree->most());
}

TEST_CASE("What comes up often is kept in full, however many came up once before it") {
  const auto tree = CallTree::create(4096, 64);
  std::uint32_t made = 0;
  for (std::uint32_t phase = 0; phase < 5; ++phase) {
    for (const std::uint32_t end = made + 50'000; made < end; ++made) {
      tree->number_of(stack_of(10 * made + 1000, 40));
    }
    for (std::uint32_t hot = 0; hot < 10; ++hot) {
      const auto frames = stack_of(1'000'000'000 + 1000 * phase + hot, 40);
      TraceNumber number = tree->number_of(frames);
      for (int hit = 0; hit < 100'000 && tree->lacks_frames(number); ++hit) {
        number = tree->number_of(frames);
      }
      CHECK(read(*tree, number) == frames);
    }
  }
  CHECK(tree->last() < tree->most());
}

TEST_CASE("The less room is left, the more often a stack has to come up") {
  NodeRoom room(128);
  for (int i = 0; i < 96; ++i) {
    CHECK(room.is_open_to(1));
    room.take(1);
  }
  std::uint32_t needed = 0;
  for (const auto& [taken, least] : {std::pair{0, 16u}, {16, 64u}, {8, 256u}, {4, 1024u}}) {
    for (int i = 0; i < taken; ++i) room.take(1);
    CHECK(!room.is_open_to(least - 1));
    CHECK(room.is_open_to(least));
    CHECK(least > needed);
    needed = least;
  }
  room.take(2);
  room.take(3);  // one more than there were
  CHECK(!room.is_open_to(std::numeric_limits<std::uint32_t>::max() - 1));
}

TEST_CASE("Two that come up in turns in one place do not keep each other from growing") {
  SeldomNodes seldom;
  CHECK(seldom.hit(1ull << 40 | 5, 1) == 1);
  CHECK(seldom.hit(1ull << 40 | 5, 1) == 2);
  CHECK(seldom.hit(1ull << 40 | 5, 1) == 3);
  for (std::uint64_t other = 2; other <= 4; ++other) CHECK(seldom.hit(other << 40 | 5, 1) == 1);
  for (std::uint64_t turn = 4; turn < 100; ++turn) {
    CHECK(seldom.hit(1ull << 40 | 5, 1) == turn);
    CHECK(seldom.hit(2ull << 40 | 5, 1) == turn - 2);
  }
  CHECK(seldom.hit(5ull << 40 | 5, 1) == 1);  // has the place of one that came up once
  CHECK(seldom.hit(5ull << 40 | 5, 1) == 2);
  CHECK(seldom.hit(6ull << 40 | 5, 1) == 1);
  CHECK(seldom.hit(7ull << 40 | 5, 1) == 1);
  CHECK(seldom.hit(1ull << 40 | 5, 1) == 100);
}

TEST_CASE("Hits that are counted for several lead to nodes sooner, and without hits none is made") {
  const auto tree = CallTree::create(4096, kMaxTreeDepth);
  for (std::uint32_t i = 0; i < 700; ++i) {
    tree->number_of(stack_of(10 * i + 1000, 40));
  }
  const auto frames = stack_of(1'000'000'000, 40);
  const auto number = [&](std::uint32_t hits) {
    TraceNumber caller = kEmptyTrace;
    const std::size_t missing = tree->descend(caller, frames, nullptr);
    const CallTree::Outer outer = {caller, {}};  // only the outermost frame has a node
    return missing == 0
               ? caller
               : tree->number_missing(caller, std::span(frames).first(missing), outer, hits);
  };
  for (int i = 0; i < 1000; ++i) REQUIRE(tree->has_gap(number(0)));
  CHECK(tree->has_gap(number(8)));
  CHECK(read(*tree, number(8)) == frames);
}

TEST_CASE("A stack that comes up often gets all its nodes at once") {
  const auto tree = CallTree::create(4096, kMaxTreeDepth);
  for (std::uint32_t i = 0; i < 700; ++i) {
    tree->number_of(stack_of(10 * i + 1000, 40));
  }
  const auto frames = stack_of(1'000'000'000, 900);
  int with_gap = 0;
  while (with_gap < 100 && tree->has_gap(tree->number_of(frames))) ++with_gap;
  CHECK(with_gap > 0);
  CHECK(with_gap < 20);
  CHECK(read(*tree, tree->number_of(frames)) == frames);
}

TEST_CASE("A stack without room is shown below a deep caller, not only below an outer one") {
  const auto tree = CallTree::create(20'000, kMaxTreeDepth);
  const std::vector<Frame> callers = stack_of(5, 100);
  tree->number_of(callers);
  for (std::uint32_t i = 0; i < 20'000; ++i) tree->number_of(stack_of(100 * i + 1000, 40));
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    std::vector<Frame> frames = stack_of(1'000'000'000 + 100 * i, 50);
    frames.back() = {1'000'000'000 + i, 7};
    frames.front() = {i % 3, 77};
    frames.insert(frames.end(), callers.begin(), callers.end());
    const TraceNumber number = tree->number_of(frames);
    REQUIRE(tree->has_gap(number));
    CHECK(tree->frame(number) == frames.front());
    CHECK(read(*tree, tree->caller(number)) ==
          std::vector<Frame>(callers.end() - 96, callers.end()));
  }
}

TEST_CASE("Only what can be is created") {
  CHECK(CallTree::create(kMaxTraces, kMaxTreeDepth) != nullptr);
  CHECK(CallTree::create(0, 4) == nullptr);
  CHECK(CallTree::create(4, 0) == nullptr);
  CHECK(CallTree::create(kMaxTraces + 1, 4) == nullptr);
  CHECK(CallTree::create(4, kMaxTreeDepth + 1) == nullptr);
}

TEST_CASE("Threads that meet the same new stacks agree on their numbers") {
  constexpr std::uint32_t kStacks = 5000;
  const auto tree = CallTree::create(65536, 16);
  std::array<std::vector<TraceNumber>, 4> numbers;
  std::vector<std::thread> threads;
  for (auto& mine : numbers) {
    threads.emplace_back([&tree, &mine] {
      for (std::uint32_t i = 0; i < kStacks; ++i) {
        mine.push_back(tree->number_of(stack_of(10 + 20 * i, 12)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& others : numbers) CHECK(others == numbers[0]);
  for (std::uint32_t i = 0; i < kStacks; ++i) {
    CHECK(read(*tree, numbers[0][i]) == stack_of(10 + 20 * i, 12));
  }
}

}  // namespace
}  // namespace ddm
