// Refuses requests that a debugger holds up: it has suspended a thread that owns a lock they need,
// a thread that may run the program's code, or an agent thread that the jdwp agent has just met
// (its event waits until the program is resumed).
//
// Requests that are slow for another reason are not refused: a lane that the debugger does not hold
// counts the suspended threads. Runs on one thread, unknown to the VM, which sleeps while no
// request waits.
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
#include "vm/thread_list.h"
#include "wire/chunks/dispatcher.h"

namespace ddm {

class LaneWatch {
 public:
  struct Watched {
    AgentThread* thread;           // lives as long as the process
    bool tasks_are_short;          // a long task on this lane is held up, not busy
    std::function<void()> refuse;  // refuses the queued requests; called on the watching thread
  };
  // Counts the suspended threads; runs on a lane.
  using CountSuspended = std::function<SuspendedThreads(JNIEnv*)>;
  LaneWatch(std::vector<Watched> lanes, CountSuspended count)
      : lanes_(std::move(lanes)),
        count_suspended_(std::move(count)),
        answers_(std::make_shared<Answers>()) {}
  ~LaneWatch() { stop(); }

  // Call before the lanes' threads are started.
  void start();
  // Any thread; takes microseconds.
  void stop();

  // The request is refused if it is not answered in time because of a debugger.
  void add(std::weak_ptr<OpenRequest> request);

 private:
  using Clock = std::chrono::steady_clock;
  struct Open {
    std::weak_ptr<OpenRequest> request;
    Clock::time_point since;
  };
  // The lanes' answers; shared, since a lane may answer after the wait has timed out.
  struct Answers {
    std::mutex mutex;
    std::condition_variable changed;
    std::uint64_t asked = 0, answered = 0;  // numbers of the questions
    std::vector<bool> pending;              // by lane: it has a question to answer
    SuspendedThreads seen;                  // the answer to question `answered`
    bool stopped = false;                   // nobody waits for answers any more
  };

  void watch();
  // Whether another check is needed soon.
  bool check_lanes();
  static bool is_stuck(const Watched& lane);
  std::vector<std::shared_ptr<OpenRequest>> late_requests(Clock::time_point now);
  bool debugger_holds();
  std::optional<SuspendedThreads> count_on_lanes();

  const std::vector<Watched> lanes_;
  const CountSuspended count_suspended_;
  const std::shared_ptr<Answers> answers_;
  std::int64_t cpu_ns_ = 0;  // of this process, at the last check
  Clock::time_point cpu_at_;
  bool idle_ = false;  // the process was idle between the last two checks

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Open> open_;  // oldest first
  bool posted_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ddm
