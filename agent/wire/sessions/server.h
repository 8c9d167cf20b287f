// The agent's end of the DDM protocol: an address and its sessions.
//
// bind() returns as soon as the address is bound; who connects waits until accept(). Requests go to
// the Dispatcher, which runs handlers on the Executor's lanes; events go out through broadcast() or
// Session::send_event().
// Any thread may call anything except stop() on the I/O thread itself.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "wire/chunks/dispatcher.h"
#include "wire/sessions/io_loop.h"
#include "wire/sessions/server_options.h"

namespace ddm {

class Server {
 public:
  // The error is one sentence for people: which address could not be bound, and what to do.
  // Dispatcher and Executor outlive the Server and every Reply.
  static Result<std::unique_ptr<Server>> bind(ServerOptions options, Dispatcher& dispatcher,
                                              Executor& executor, std::shared_ptr<IoLoop> loop);
  // Begins to accept connections, or to connect out. False: no thread could be started for them.
  bool accept() { return loop_->add(door_); }
  ~Server() { stop(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // The address it listens at, with the actual port; with connect_out, the address it connects to.
  const Address& bound_address() const { return door_->bound(); }

  // Sends an event to every session past its handshake. Runs on the calling thread and never blocks.
  void broadcast(const Chunk& event);

  // Sessions past their handshake.
  std::vector<SessionPtr> sessions() const;

  // Flushes what the sockets accept, then ends all connections; takes milliseconds. Observers are
  // not notified. A second call does nothing.
  void stop() { loop_->remove(*door_); }

 private:
  Server(std::shared_ptr<IoLoop> loop, std::shared_ptr<Door> door)
      : loop_(std::move(loop)), door_(std::move(door)) {}

  const std::shared_ptr<IoLoop> loop_;
  const std::shared_ptr<Door> door_;
};

}  // namespace ddm
