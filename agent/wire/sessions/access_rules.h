// Checks, before any connection, whom access=user can let in at an address.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "wire/sessions/server_options.h"

namespace ddm {

// Reports a refused peer.
using OnRefusedPeer = std::function<void(const std::string&)>;
// Logs the first one as a warning, later ones at info: strangers must not flood stderr.
OnRefusedPeer warn_of_first_refusal(Log log);

// Warns where everybody, or nobody, would be let in. The error: peers at that address cannot be
// checked.
std::optional<Error> check_access(const Address& address, bool connect_out, Access access,
                                  const Log& log);

// "127.0.0.1:40123", "a local process".
std::string peer_name(int fd);

// Sets TCP_NODELAY, and keep-alive so that a vanished peer is noticed eventually.
void tune_socket(int fd);

}  // namespace ddm
