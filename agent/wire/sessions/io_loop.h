// The one thread that does all socket I/O of a Server: accepts or connects, checks, reads, writes
// and ends connections. It never waits for a peer, a handler or another thread.
#pragma once

#include <poll.h>

#include <map>
#include <mutex>
#include <optional>

#include "wire/sessions/connection.h"
#include "wire/sessions/connector.h"
#include "wire/sockets/listener.h"

namespace ddm {

class IoLoop {
 public:
  // Either a listener or a connector.
  IoLoop(std::shared_ptr<const ServerContext> context, std::optional<Listener> listener,
         std::optional<Connector> connector);

  // The thread's body: returns soon after stop(), when what the sockets take at once is written.
  void run();

  // Any thread.
  void stop();
  std::vector<std::shared_ptr<Connection>> connections() const;
  Waker& waker() const { return *context_->waker; }

 private:
  void turn();
  Clock::time_point next_deadline() const;
  void accept_all();
  void connect_out(bool ready);
  bool serve(Connection& connection, short events, Clock::time_point now);
  void add(FileDescriptor socket, bool checked);
  // Ends connections until what they hold together is within the limits.
  void shed();
  void end(const std::shared_ptr<Connection>& connection);

  const std::shared_ptr<const ServerContext> context_;
  std::optional<Listener> listener_;
  std::optional<Connector> connector_;
  std::atomic<bool> stopping_{false};

  mutable std::mutex mutex_;  // guards connections_ against readers; the thread alone changes it
  std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;

  // The thread's own.
  std::vector<pollfd> polled_;
  std::uint64_t last_id_ = 0;
  Clock::time_point accept_again_{};  // after running out of descriptors
};

}  // namespace ddm
