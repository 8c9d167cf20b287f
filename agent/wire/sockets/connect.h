// Connects to an address, within a time limit or without blocking.
#pragma once

#include <chrono>

#include "core/file_descriptor.h"
#include "wire/sockets/address.h"
#include "wire/sockets/socket_address.h"

namespace ddm {

// A connected, non-blocking socket with TCP_NODELAY. `limit`: for each address of a name.
Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit);
Result<FileDescriptor> connect_to(const SocketAddress& target, std::chrono::milliseconds limit);

// A non-blocking socket with a connect in progress; POLLOUT signals its end.
Result<FileDescriptor> begin_connecting(const SocketAddress& target);

// The result of the connect: 0 or errno.
int connecting_ended(int fd);

}  // namespace ddm
