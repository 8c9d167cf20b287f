#include "ddm/fair_queue.h"

#include <catch2/catch.hpp>
#include <string>

namespace ddm {
namespace {

// Takes everything that is there.
void take_all(FairQueue& queue) {
  bool more = true;
  while (more) {
    if (const auto task = queue.take(more)) task();
  }
}

}  // namespace

TEST_CASE("Sessions take turns, and each keeps its order") {
  FairQueue queue;
  std::string said;
  const auto say = [&said](const char* word) { return [&said, word] { said += word; }; };
  CHECK(queue.push(1, say("a")));
  for (const char* word : {"b", "c", "d"}) CHECK_FALSE(queue.push(1, say(word)));
  CHECK_FALSE(queue.push(2, say("X")));
  CHECK_FALSE(queue.push(3, say("1")));
  CHECK_FALSE(queue.push(2, say("Y")));
  take_all(queue);
  CHECK(said == "aX1bYcd");
}

TEST_CASE("A queue that was emptied has to be begun again") {
  FairQueue queue;
  CHECK(queue.push(7, [] {}));
  bool more = true;
  CHECK(queue.take(more));
  CHECK_FALSE(more);
  CHECK_FALSE(queue.take(more));
  CHECK(queue.push(7, [] {}));
  queue.clear();
  CHECK_FALSE(queue.take(more));
  CHECK(queue.push(7, [] {}));
}

TEST_CASE("A task may add others while it runs") {
  FairQueue queue;
  int left = 100;
  std::function<void()> again = [&] {
    if (--left > 0) queue.push(static_cast<std::uint64_t>(left % 3), again);
  };
  queue.push(1, again);
  bool more = true;
  while (const auto task = queue.take(more)) task();
  CHECK(left == 0);
}

}  // namespace ddm
