// Connecting to an address, within a time.
#pragma once

#include <chrono>

#include "net/address.h"
#include "net/file_descriptor.h"

namespace ddm {

// A connected, non-blocking socket; small packets go out at once (TCP_NODELAY).
Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit);

}  // namespace ddm
