// The one thread that does all socket I/O: it serves the connections of every door. It never blocks
// on a peer, a handler or another thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "wire/sessions/door.h"

namespace ddm {

class IoLoop : public std::enable_shared_from_this<IoLoop> {
 public:
  static Result<std::shared_ptr<IoLoop>> create(Log log);
  ~IoLoop() { stop(); }

  // For doors and their peers; valid after the loop has ended, too.
  const std::shared_ptr<Waker>& waker() const { return waker_; }

  // Serves the door from now on; the first door starts the thread. False: no thread could be
  // started, or the last door was removed.
  bool add(std::shared_ptr<Door> door);
  // Flushes what the door's sockets accept and ends its connections; takes milliseconds. Removing
  // the last door ends the thread for good. Not on the I/O thread. A second call does nothing. A
  // thread that does not answer within kSocketsLimit is left alone, and keeps the loop.
  void remove(const Door& door);

 private:
  void stop();
  IoLoop(std::shared_ptr<Waker> waker, Log log) : waker_(std::move(waker)), log_(std::move(log)) {}
  void run();
  void turn(const std::vector<std::shared_ptr<Door>>& doors);
  // The doors to serve; closes removed ones. nullopt: the thread must end.
  std::optional<std::vector<std::shared_ptr<Door>>> doors();

  const std::shared_ptr<Waker> waker_;
  const Log log_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable closed_;
  std::vector<std::shared_ptr<Door>> doors_;
  std::vector<std::shared_ptr<Door>> leaving_;
  bool stopping_ = false;
  std::thread thread_;
  std::shared_ptr<IoLoop> kept_by_thread_;  // it may still wake up
};

}  // namespace ddm
