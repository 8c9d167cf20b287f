#include <catch2/catch.hpp>

#include "held_locks.h"

using ddm::Json;

namespace {

// `frames`: "Class.method", innermost first.
bool is_idle(const char* kind, const char* type, const std::vector<std::string>& frames) {
  Json stack = Json::array();
  for (const std::string& frame : frames) {
    const std::size_t dot = frame.rfind('.');
    stack.push_back({{"class", frame.substr(0, dot)}, {"method", frame.substr(dot + 1)}});
  }
  return ddm::is_idle_wait({{"kind", kind}, {"class", type}, {"stack", stack}});
}

constexpr const char* kCondition =
    "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject";
constexpr const char* kLock = "java.util.concurrent.locks.ReentrantLock$NonfairSync";
const std::string kAwait = std::string(kCondition) + ".await";

}  // namespace

TEST_CASE("A worker of a pool that waits for work is idle, whoever made the pool and its queue") {
  CHECK(is_idle("park", kCondition,
                {kAwait, "java.util.concurrent.LinkedBlockingQueue.take",
                 "java.util.concurrent.ThreadPoolExecutor.getTask", "java.lang.Thread.run"}));
  CHECK(is_idle("park", kCondition,
                {kAwait, "java.util.concurrent.LinkedBlockingQueue.take",
                 "org.apache.tomcat.util.threads.TaskQueue.take",
                 "java.util.concurrent.ThreadPoolExecutor.getTask"}));
  CHECK(is_idle("park", kCondition,
                {kAwait, "java.util.concurrent.LinkedBlockingQueue.poll",
                 "org.apache.tomcat.util.threads.TaskQueue.poll",
                 "org.apache.tomcat.util.threads.TaskQueue.poll",
                 "org.apache.tomcat.util.threads.ThreadPoolExecutor.getTask"}));
  CHECK(is_idle("wait", "java.util.TaskQueue",
                {"java.lang.Object.wait", "java.util.TimerThread.mainLoop"}));
}

TEST_CASE("A wait for a lock is none, nor is one of a task") {
  // For the lock of the program's own queue.
  CHECK_FALSE(is_idle("park", kLock,
                      {"java.util.concurrent.locks.ReentrantLock.lock", "shop.Queue.take",
                       "java.util.concurrent.ThreadPoolExecutor.getTask"}));
  // For the lock that the accepting thread holds.
  const std::vector<std::string> accept = {"java.util.concurrent.locks.ReentrantLock.lock",
                                           "sun.nio.ch.NioSocketImpl.accept",
                                           "java.net.ServerSocket.accept", "shop.Server.run"};
  CHECK_FALSE(is_idle("park", kLock, accept));
  CHECK_FALSE(is_idle("park", kLock,
                      {"java.util.concurrent.locks.ReentrantLock.lock",
                       "sun.nio.ch.ServerSocketChannelImpl.accept", "shop.Server.run"}));
  CHECK(is_idle("", "", accept));  // of a sample nobody knows
  CHECK_FALSE(is_idle("enter", "shop.Queue",
                      {"shop.Queue.poll", "java.util.concurrent.ThreadPoolExecutor.getTask"}));
  CHECK_FALSE(is_idle("park", kCondition,
                      {kAwait, "java.util.concurrent.LinkedBlockingQueue.take", "shop.Job.run",
                       "java.util.concurrent.ThreadPoolExecutor.runWorker"}));
  CHECK_FALSE(is_idle("park", kCondition, {kAwait, "shop.Queue.take", "shop.Main.main"}));
  CHECK_FALSE(ddm::is_idle_wait(Json::object()));
}

TEST_CASE("Waits for what has an owner are counted, and those whose owner is known") {
  const auto wait = [](const char* kind, const char* type, int count, std::vector<int> held) {
    Json row{{"kind", kind}, {"class", type}, {"count", count}};
    for (const int known : held) row["holders"].push_back({{"count", known}});
    return row;
  };
  const ddm::HolderCounts counts =
      ddm::count_holders({wait("enter", "shop.Till", 10, {3, 1}), wait("park", kLock, 5, {}),
                          wait("park", kCondition, 100, {}), wait("wait", "shop.Till", 50, {}),
                          wait("park", "java.util.concurrent.CountDownLatch$Sync", 7, {})});
  CHECK(counts.waits == 15);
  CHECK(counts.known == 4);
  const Json odd = {{"kind", "enter"}, {"count", 1}, {"holders", 7}};
  CHECK(ddm::count_holders({odd}).known == 0);
}
