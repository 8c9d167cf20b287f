// Connecting to an address: within a time, or without waiting at all.
#pragma once

#include <chrono>

#include "core/file_descriptor.h"
#include "wire/sockets/address.h"
#include "wire/sockets/socket_address.h"

namespace ddm {

// A connected, non-blocking socket; small packets go out at once (TCP_NODELAY).
Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit);

// A non-blocking socket that is being connected: it can be written (POLLOUT) when that is over.
Result<FileDescriptor> begin_connecting(const SocketAddress& target);

// How it ended: 0 or errno.
int connecting_ended(int fd);

}  // namespace ddm
