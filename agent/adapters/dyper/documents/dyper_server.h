// The agent's end of DYPER's connections: a door of the I/O loop, and what goes to all who came in.
// Who may connect is decided as for DDM servers.
#pragma once

#include <memory>
#include <string>
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

  // The error is one sentence for people. What the settings call outlives the server.
  static Result<std::unique_ptr<DyperServer>> start(Settings settings,
                                                    std::shared_ptr<IoLoop> loop);
  ~DyperServer() { stop({}); }
  DyperServer(const DyperServer&) = delete;
  DyperServer& operator=(const DyperServer&) = delete;

  // With the port that it really got.
  const Address& bound_address() const { return door_->bound(); }

  // To all that are connected and read what they are sent.
  void broadcast(std::string_view framed);
  bool has_peers() const { return !door_->peers().empty(); }

  // Sends `farewell` (framed) and what else the sockets take at once, then ends all. A second call
  // does nothing.
  void stop(std::string_view farewell);

 private:
  static constexpr std::size_t kMostPeers = 16;

  DyperServer(std::shared_ptr<IoLoop> loop, std::shared_ptr<Door> door)
      : loop_(std::move(loop)), door_(std::move(door)) {}

  const std::shared_ptr<IoLoop> loop_;
  const std::shared_ptr<Door> door_;
};

}  // namespace ddm
