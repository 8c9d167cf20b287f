// The agent's end of DYPER's connections: a listening socket of the I/O loop, and broadcasts to all
// connected peers. The access rules are those for DDM servers.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "adapters/dyper/documents/dyper_peer.h"
#include "wire/sessions/io_loop.h"

namespace ddm {

class DyperServer {
 public:
  struct Settings {
    Address address;
    bool connect_out = false;
    DyperPeer::Settings peers;
  };

  // The error is one sentence for people. The objects that `settings` refer to must outlive the
  // server.
  static Result<std::unique_ptr<DyperServer>> start(Settings settings,
                                                    std::shared_ptr<IoLoop> loop);
  ~DyperServer() { stop({}); }
  DyperServer(const DyperServer&) = delete;
  DyperServer& operator=(const DyperServer&) = delete;

  // The address with the actual port.
  const Address& bound_address() const { return door_->bound(); }

  // Sends to all connected peers, except those that do not read.
  void broadcast(std::string_view framed);
  bool has_peers() const { return !door_->peers().empty(); }

  // Sends `farewell` (framed) and all that the sockets accept without blocking, then closes them. A
  // second call has no effect.
  void stop(std::string_view farewell);

 private:
  static constexpr std::size_t kMostPeers = 16;

  DyperServer(std::shared_ptr<IoLoop> loop, std::shared_ptr<Door> door)
      : loop_(std::move(loop)), door_(std::move(door)) {}

  const std::shared_ptr<IoLoop> loop_;
  const std::shared_ptr<Door> door_;
};

}  // namespace ddm
