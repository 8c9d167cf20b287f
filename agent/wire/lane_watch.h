// Refuses requests while a debugger holds what they wait for: a lock that a thread of the program has, a
// thread that may run the program's code, or one of ours that the jdwp agent has met for the first time
// (its event waits until the program goes on).
//
// What takes long for another reason is waited for: somebody whom the debugger does not hold is asked
// which threads stand still. One thread, which the VM does not know; it sleeps unless a request waits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "vm/agent_thread.h"
#include "vm/suspended_threads.h"
#include "wire/chunks/dispatcher.h"

namespace ddm {

class LaneWatch {
 public:
  struct Watched {
    AgentThread* thread;           // lives as long as the process
    bool tasks_are_short;          // one that is not has been held up
    std::function<void()> refuse;  // what waits cannot be done now; on the watching thread
  };
  // Looks which threads are suspended; on a lane.
  using Look = std::function<SuspendedThreads(JNIEnv*)>;
  LaneWatch(std::vector<Watched> lanes, Look look)
      : lanes_(std::move(lanes)), look_(std::move(look)), sight_(std::make_shared<Sight>()) {}
  ~LaneWatch() { stop(); }

  // Before the lanes' threads are started.
  void start();
  // Any thread: microseconds.
  void stop();

  // Is refused when it is not answered in time and a debugger is why.
  void add(std::weak_ptr<OpenRequest> request);

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    std::weak_ptr<OpenRequest> request;
    Clock::time_point since;
  };
  // What the lanes have seen; they may come to tell it when nobody waits any more.
  struct Sight {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t asked = 0, told = 0;  // numbers of looks
    std::vector<bool> on_the_way;       // by lane: it has not looked yet
    SuspendedThreads seen;              // by the look `told`
  };

  void watch();
  // Whether there is anything to look at soon.
  bool look_at_all();
  static bool is_stuck(const Watched& lane);
  std::vector<std::shared_ptr<OpenRequest>> late_requests(Clock::time_point now);
  bool debugger_holds();
  std::optional<SuspendedThreads> ask_lanes();

  const std::vector<Watched> lanes_;
  const Look look_;
  const std::shared_ptr<Sight> sight_;
  std::int64_t cpu_ns_ = 0;  // of this process, at the last glance
  Clock::time_point cpu_at_;
  bool still_ = false;  // nobody has worked since the glance before it

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Open> open_;  // oldest first
  bool posted_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ddm
