// DYPER's connections: a door of the I/O loop, and what is sent to all connected peers. The access
// rules are those for DDM servers.
#pragma once

#include <memory>
#include <string_view>

#include "adapters/dyper/documents/dyper_peer.h"
#include "wire/sessions/io_loop.h"

namespace ddm {

// The error is one sentence for people. The objects that `peers` refers to must outlive the door,
// which is open until loop->remove().
Result<std::shared_ptr<Door>> open_dyper_door(const DyperAddress& where, DyperPeer::Settings peers,
                                              const std::shared_ptr<IoLoop>& loop);

// Sends to all connected peers of such a door; `also_full`: to those that do not read, too.
void send_to_all(const Door& door, std::string_view framed, bool also_full = false);

}  // namespace ddm
