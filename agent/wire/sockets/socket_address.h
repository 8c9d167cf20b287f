// The kernel's form of an address, and the conversion to it.
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

// kTcp and kUnix only; at least one address on success. May call the system's resolver, which may
// take seconds.
Result<std::vector<SocketAddress>> resolve(const Address& address);

// The same without the resolver: paths, numeric hosts and "localhost" (127.0.0.1). Empty: the name
// needs a lookup.
std::optional<Result<std::vector<SocketAddress>>> resolve_at_once(const Address& address);

// The local and the far end of a socket; numeric. length 0: unknown to the kernel.
SocketAddress local_end(int fd);
SocketAddress far_end(int fd);

Address to_address(const SocketAddress& address);

}  // namespace ddm
