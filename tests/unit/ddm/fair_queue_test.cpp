#include "wire/chunks/fair_queue.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "fake_session.h"

namespace ddm {
namespace {

SessionPtr session(std::uint64_t id) { return std::make_shared<FakeSession>(id); }

void run_all(FairQueue& queue) {
  while (queue.run_next()) continue;
}

}  // namespace

TEST_CASE("Sessions take turns, and each keeps its order") {
  FairQueue queue;
  std::string said;
  const auto say = [&said](const char* word) {
    return [&said, word] {
      said += word;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
  };
  const SessionPtr one = session(1);
  const SessionPtr two = session(2);
  CHECK(queue.push(one, say("a")));
  for (const char* word : {"b", "c", "d"}) CHECK_FALSE(queue.push(one, say(word)));
  CHECK_FALSE(queue.push(two, say("X")));
  CHECK_FALSE(queue.push(session(3), say("1")));
  CHECK_FALSE(queue.push(two, say("Y")));
  run_all(queue);
  CHECK(said.substr(0, 3) == "aX1");
  std::string of_one = said;
  std::erase_if(of_one, [](char letter) { return letter < 'a'; });
  CHECK(of_one == "abcd");
  CHECK(said.find('X') < said.find('Y'));
}

TEST_CASE("A queue that was emptied has to be begun again") {
  FairQueue queue;
  CHECK(queue.push(session(7), [] {}));
  CHECK(queue.run_next());
  CHECK_FALSE(queue.run_next());
  CHECK(queue.push(session(7), [] {}));
  queue.clear();
  CHECK_FALSE(queue.run_next());
  CHECK(queue.push(nullptr, [] {}));
}

TEST_CASE("A task may add others while it runs") {
  FairQueue queue;
  int left = 100;
  std::function<void()> again = [&] {
    if (--left > 0) queue.push(session(static_cast<std::uint64_t>(left % 3)), again);
  };
  queue.push(session(1), again);
  run_all(queue);
  CHECK(left == 0);
}

TEST_CASE("Who has used the lane least comes next, and having been away gives no claim") {
  FairQueue queue;
  std::string said;
  const auto say = [&said](char word, int ms) {
    return [&said, word, ms] {
      said += word;
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    };
  };
  const SessionPtr greedy = session(1);
  const SessionPtr modest = session(2);
  queue.push(modest, say('m', 1));
  for (int i = 0; i < 5; ++i) queue.push(greedy, say('G', 20));
  for (int i = 0; i < 5; ++i) queue.push(modest, say('m', 0));
  run_all(queue);
  CHECK(said.find("GG") > said.rfind('m'));  // one of them at most before the modest one is done
}

TEST_CASE("Having been away gives no claim to what others used meanwhile") {
  FairQueue queue;
  std::string said;
  const auto say = [&said](char word) {
    return [&said, word] {
      said += word;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
  };
  const SessionPtr early = session(1);
  const SessionPtr late = session(2);
  for (int i = 0; i < 10; ++i) queue.push(early, say('e'));
  run_all(queue);
  said.clear();
  for (int i = 0; i < 5; ++i) queue.push(early, say('e'));
  for (int i = 0; i < 5; ++i) queue.push(late, say('l'));
  run_all(queue);
  CHECK(said.substr(0, 5) != "lllll");
}

TEST_CASE("What a session has used is forgotten once no task can run") {
  FairQueue queue;
  std::string said;
  const auto full = std::make_shared<FakeSession>(3);
  SECTION("because there are none") {}
  SECTION("because those that wait have no room") {
    full->room = false;
    queue.push(full, [] {});
  }
  queue.push(session(1), [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  run_all(queue);
  queue.push(session(1), [&] { said += "1"; });
  queue.push(session(2), [&] { said += "2"; });
  run_all(queue);
  CHECK(said == "12");  // the first is no longer behind, so there is no record of it
}

TEST_CASE("A session without room is passed over until it has some") {
  FairQueue queue;
  std::string said;
  const auto full = std::make_shared<FakeSession>(1);
  full->room = false;
  CHECK(queue.push(full, [&] { said += "f"; }));
  CHECK_FALSE(queue.push(session(2), [&] { said += "o"; }));
  run_all(queue);
  CHECK(said == "o");
  CHECK_FALSE(queue.resume());
  CHECK(queue.push(session(3), [&] { said += "p"; }));  // nobody is taking
  run_all(queue);
  CHECK(said == "op");
  full->room = true;
  CHECK(queue.resume());
  CHECK_FALSE(queue.resume());
  run_all(queue);
  CHECK(said == "opf");
  CHECK_FALSE(queue.resume());
}

TEST_CASE("What a closed session asked for is dropped at once, and what it switched is done") {
  FairQueue queue;
  std::string said;
  const auto gone = std::make_shared<FakeSession>(1);
  auto request = std::make_shared<int>();
  const std::weak_ptr<int> held = request;
  queue.push(session(2), [&] {
    CHECK_FALSE(queue.resume());
    CHECK_FALSE(held.expired());
    CHECK(queue.take_dropped().empty());
    gone->open = false;
    auto dropped = queue.take_dropped();
    CHECK(dropped.size() == 1);
    CHECK_FALSE(held.expired());  // the caller destroys it
    dropped.clear();
    CHECK(held.expired());
    CHECK_FALSE(queue.resume());  // the lane is busy with this task
    said += "o";
  });
  queue.push(gone, [request = std::move(request)] { FAIL("a request of nobody"); });
  queue.push(
      gone, [&] { said += "s"; }, FairQueue::Kind::kSwitch);
  gone->room = false;  // so that the other one is first
  run_all(queue);
  CHECK(said == "os");
}

TEST_CASE("What a closed session switched is done on an idle lane") {
  FairQueue queue;
  bool done = false;
  const auto gone = std::make_shared<FakeSession>(1);
  gone->room = false;
  queue.push(gone, [] { FAIL("a request of nobody"); });
  queue.push(
      gone, [&] { done = true; }, FairQueue::Kind::kSwitch);
  CHECK_FALSE(queue.run_next());
  gone->open = false;
  CHECK(queue.take_dropped().size() == 1);
  CHECK(queue.resume());
  run_all(queue);
  CHECK(done);
  CHECK_FALSE(queue.resume());
}

}  // namespace ddm
