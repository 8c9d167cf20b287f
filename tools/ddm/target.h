// What a user calls a program by -> where it listens.
#pragma once

#include <string>
#include <string_view>

#include "containers/inside.h"
#include "ddm_client.h"
#include "wire/sockets/address.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// What a user calls a program by, as a pid, HOST:PORT or unix:PATH: a part of its name if no other
// program has it in its own, nothing if there is one program only. Those that have the agent come
// first; if none of them is meant, the JVMs without it. The error names those that may be meant.
Result<std::string> named_target(std::string_view text);

// `text`: what named_target() takes; a pid is found through its discovery file. The error says what
// is wrong with it.
Result<TargetAddress> find_target(std::string_view text);

// The same, connected.
Result<DdmClient> connect_to_target(std::string_view text);

// What the commands say about this argument.
inline constexpr const char* kTargetHelp =
    "pid, a part of the program's name (see `ddm ps`), HOST:PORT or unix:PATH";
inline constexpr const char* kOnlyTargetHelp =
    "pid, a part of the program's name (see `ddm ps`), HOST:PORT or unix:PATH; may be left out "
    "where "
    "one program has the agent";

}  // namespace ddm
