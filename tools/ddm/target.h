// What a user calls a program by -> where it listens.
#pragma once

#include <string_view>

#include "ddm_client.h"
#include "wire/sockets/address.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// `text`: a PID (found through its discovery file), HOST:PORT or unix:PATH. The error says what
// is wrong with it.
Result<Address> find_target(std::string_view text);

// The same, connected.
Result<DdmClient> connect_to_target(std::string_view text);

// What the commands say about this argument.
inline constexpr const char* kTargetHelp = "pid (see `ddm ps`), HOST:PORT or unix:PATH";

}  // namespace ddm
