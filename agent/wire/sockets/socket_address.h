// The kernel's form of an address, and the way there from ours.
#pragma once

#include <sys/socket.h>

#include <optional>
#include <vector>

#include "core/result.h"
#include "wire/sockets/address.h"

namespace ddm {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&storage); }
  const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

// kTcp and kUnix only; at least one on success. May ask the system's resolver, which may take
// seconds.
Result<std::vector<SocketAddress>> resolve(const Address& address);

// The same without asking anybody: paths, numeric hosts and "localhost" (127.0.0.1). Empty: a name
// that has to be looked up.
std::optional<Result<std::vector<SocketAddress>>> resolve_at_once(const Address& address);

// Our end and the far end of a socket; numeric. length 0 when the kernel does not say.
SocketAddress local_end(int fd);
SocketAddress far_end(int fd);

Address to_address(const SocketAddress& address);

}  // namespace ddm
