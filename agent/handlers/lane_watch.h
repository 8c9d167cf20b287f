// Refuses requests while a debugger holds the thread that they wait for. It passes our threads over
// while they have nothing to do (AgentThread), so this is one that came in the middle of a request.
//
// One thread, which the VM does not know; it sleeps unless a request waits.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "jvm/agent_thread.h"

namespace ddm {

class LaneWatch {
 public:
  struct Watched {
    AgentThread* thread;           // lives as long as the process
    bool tasks_are_short;          // one that is not has been held up
    std::function<void()> refuse;  // what waits cannot be done now; on the watching thread
  };
  explicit LaneWatch(std::vector<Watched> lanes) : lanes_(std::move(lanes)) {}
  ~LaneWatch() { stop(); }

  // Before the lanes' threads are started.
  void start();
  // Any thread: microseconds.
  void stop();

 private:
  void watch();
  // Whether there is anything to look at soon.
  static bool look_at(const Watched& lane);

  const std::vector<Watched> lanes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool posted_ = false;
  bool stopped_ = false;
  std::thread thread_;
};

}  // namespace ddm
