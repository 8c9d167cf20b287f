#include "adapters/dyper/documents/dyper_server.h"

namespace ddm {

Result<std::unique_ptr<DyperServer>> DyperServer::start(Settings settings,
                                                        std::shared_ptr<IoLoop> loop) {
  DoorSettings door_settings;
  door_settings.address = settings.address;
  door_settings.connect_out = settings.connect_out;
  door_settings.access = settings.peers.access;
  door_settings.what = "DYPER connection";
  door_settings.max_peers = kMostPeers;
  const ServerLimits limits;  // what DDM servers may make the agent hold
  door_settings.max_memory = limits.max_memory;
  door_settings.max_stored = limits.max_stored;
  door_settings.log = settings.peers.log;
  door_settings.on_refused_peer = warn_of_first_refusal(settings.peers.log);
  door_settings.make_peer =
      [waker = loop->waker(),
       shared = std::make_shared<const DyperPeer::Settings>(std::move(settings.peers))](
          FileDescriptor socket, std::string name, bool checked) -> PeerPtr {
    return std::make_shared<DyperPeer>(shared, std::move(socket), std::move(name), waker, checked);
  };
  auto door = Door::open(std::move(door_settings), loop->waker());
  if (!door) return door.error();
  if (!loop->add(*door)) return Error{"no thread could be started for connections"};
  return std::unique_ptr<DyperServer>(new DyperServer(std::move(loop), std::move(*door)));
}

void DyperServer::stop(std::string_view farewell) {
  if (!farewell.empty()) {
    for (const PeerPtr& peer : door_->peers()) static_cast<DyperPeer&>(*peer).send(farewell);
  }
  loop_->remove(*door_);
}

void DyperServer::broadcast(std::string_view framed) {
  for (const PeerPtr& one : door_->peers()) {
    auto& peer = static_cast<DyperPeer&>(*one);
    if (peer.has_room()) peer.send(framed);
  }
}

}  // namespace ddm
