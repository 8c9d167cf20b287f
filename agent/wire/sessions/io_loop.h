// The one thread that does all socket I/O: it serves the connections of every door. It never waits
// for a peer, a handler or another thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "wire/sessions/door.h"

namespace ddm {

class IoLoop {
 public:
  static Result<std::shared_ptr<IoLoop>> create(Log log);
  ~IoLoop() { stop(); }
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;

  // For the doors and their peers, also when the loop has ended.
  const std::shared_ptr<Waker>& waker() const { return waker_; }

  // Serves the door from now on; with the first one the thread begins. False: there is none, or the
  // last door has gone.
  bool add(std::shared_ptr<Door> door);
  // Writes what the door's sockets take at once, and ends its connections: milliseconds. With the
  // last door the thread ends, for good. Not on the I/O thread. A second call does nothing.
  void remove(const Door& door);

 private:
  void stop();
  IoLoop(std::shared_ptr<Waker> waker, Log log) : waker_(std::move(waker)), log_(std::move(log)) {}
  void run();
  void turn(const std::vector<std::shared_ptr<Door>>& doors);
  // Those to be served; closes those that are to go. None: the thread is to end.
  std::optional<std::vector<std::shared_ptr<Door>>> doors();

  const std::shared_ptr<Waker> waker_;
  const Log log_;

  std::mutex mutex_;  // of what follows
  std::condition_variable closed_;
  std::vector<std::shared_ptr<Door>> doors_;
  std::vector<std::shared_ptr<Door>> leaving_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ddm
