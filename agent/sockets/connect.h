// Connecting to an address, within a time.
#pragma once

#include <chrono>

#include "sockets/address.h"
#include "sockets/file_descriptor.h"

namespace ddm {

// A connected, non-blocking socket; small packets go out at once (TCP_NODELAY).
Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit);

}  // namespace ddm
