// The thread for what is due now and then: there while there is something, and in nobody's way.
#include "core/chores.h"

#include <dirent.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <future>
#include <string>
#include <thread>

using namespace ddm;
using std::chrono::milliseconds;
using Clock = Chores::Clock;

namespace {

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(1));
  return condition();
}

int threads_of_chores() {
  int count = 0;
  DIR* tasks = opendir("/proc/self/task");
  REQUIRE(tasks != nullptr);
  while (const dirent* task = readdir(tasks)) {
    std::ifstream file("/proc/self/task/" + std::string(task->d_name) + "/comm");
    std::string name;
    if (std::getline(file, name) && name == "ddm-chores") ++count;
  }
  closedir(tasks);
  return count;
}

}  // namespace

TEST_CASE("Chores share one thread, which ends with the last of them") {
  Chores& chores = Chores::of_process();
  std::atomic<int> often{0}, once{0};
  const auto periodic = chores.add(
      [&] {
        ++often;
        return std::optional(Clock::now() + milliseconds(1));
      },
      Clock::now());
  const auto single = chores.add(
      [&]() -> std::optional<Clock::time_point> {
        ++once;
        return std::nullopt;
      },
      Clock::now());
  REQUIRE(periodic);
  REQUIRE(single);
  CHECK(eventually([&] { return often > 5 && once == 1; }));
  CHECK(threads_of_chores() == 1);
  chores.end(periodic, /*wait=*/true);
  const int last = often;
  CHECK(eventually([] { return threads_of_chores() == 0; }));
  CHECK(often == last);
  CHECK(once == 1);
}

TEST_CASE("A chore that is hastened is done at once, however far away it is due") {
  Chores& chores = Chores::of_process();
  std::atomic<int> done{0};
  const auto chore = chores.add(
      [&] {
        ++done;
        return std::optional(Clock::time_point::max());
      },
      Clock::time_point::max());
  REQUIRE(chore);
  std::this_thread::sleep_for(milliseconds(20));
  CHECK(done == 0);
  for (int i = 1; i <= 100; ++i) {
    chores.hasten(*chore);
    REQUIRE(eventually([&] { return done == i; }));
  }
  chores.end(chore, /*wait=*/true);
  chores.hasten(*chore);  // whoever calls late harms nobody
}

TEST_CASE("Ending a chore waits for it alone, and only when asked to") {
  Chores& chores = Chores::of_process();
  std::promise<void> disk;
  std::atomic<bool> begun{false}, ended{false};
  const auto held_up = chores.add(
      [&, answer = disk.get_future().share()] {
        begun = true;
        answer.wait();
        ended = true;
        return std::optional(Clock::time_point::max());
      },
      Clock::now());
  const auto other =
      chores.add([] { return std::optional(Clock::now()); }, Clock::time_point::max());
  REQUIRE(eventually([&] { return begun.load(); }));
  chores.end(other, /*wait=*/true);
  chores.end(held_up);
  CHECK_FALSE(ended);
  disk.set_value();
  chores.end(held_up, /*wait=*/true);
  CHECK(ended);
  CHECK(eventually([] { return threads_of_chores() == 0; }));
}
