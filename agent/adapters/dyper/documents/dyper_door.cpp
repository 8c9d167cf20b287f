#include "adapters/dyper/documents/dyper_door.h"

#include <utility>

namespace ddm {

Result<std::shared_ptr<Door>> open_dyper_door(const DyperAddress& where, DyperPeer::Settings peers,
                                              const std::shared_ptr<IoLoop>& loop) {
  constexpr std::size_t kMostPeers = 16;
  DoorSettings settings;
  settings.address = where.address;
  settings.connect_out = where.connect_out;
  settings.access = peers.access;
  settings.what = "DYPER connection";
  settings.max_peers = kMostPeers;
  const ServerLimits limits;  // what DDM servers may make the agent hold
  settings.max_memory = limits.max_memory;
  settings.max_stored = limits.max_stored;
  settings.log = peers.log;
  settings.on_refused_peer = warn_of_first_refusal(peers.log);
  settings.make_peer = [waker = loop->waker(),
                        shared = std::make_shared<const DyperPeer::Settings>(std::move(peers))](
                           FileDescriptor socket, std::string name, bool checked) -> PeerPtr {
    return std::make_shared<DyperPeer>(shared, std::move(socket), std::move(name), waker, checked);
  };
  auto door = Door::open(std::move(settings), loop->waker());
  if (door && !loop->add(*door)) return Error{"no thread could be started for connections"};
  return door;
}

void send_to_all(const Door& door, std::string_view framed, bool also_full) {
  for (const PeerPtr& one : door.peers()) {
    auto& peer = static_cast<DyperPeer&>(*one);
    if (also_full || peer.has_room()) peer.send(framed);
  }
}

}  // namespace ddm
