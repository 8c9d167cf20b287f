// Resolves the user's name for a program to the address where its agent listens.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "containers/inside.h"
#include "ddm_client.h"
#include "wire/sockets/address.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// A target as a part of a file's name.
std::string in_file_name(std::string_view target);

// Whether the text is a pid or an address, and so can be nothing else than a target.
bool is_target(std::string_view text);

// Resolves the user's name for a program to a pid, HOST:PORT or unix:PATH. `text` may also be a
// part of the name of exactly one program, or "" if there is only one. Programs with the agent are
// searched first, then JVMs without it. The error lists the candidates.
Result<std::string> resolve_target(std::string_view text);

// The same among all JVMs, with the agent or without: for what changes the one that is meant. An
// address becomes the pid of the program here whose agent listens there.
Result<std::string> resolve_jvm(std::string_view text);

// Whether one argument where there should be more is a program's name, and what follows is missing.
bool names_program(std::string_view text);

// `text`: as for resolve_target(); a pid is found through its discovery file.
Result<TargetAddress> find_target(std::string_view text);

// The same, connected.
Result<DdmClient> connect_to_target(std::string_view text);

// The DYPER server (dyper=) of a program whose agent listens for nothing else. None: it has none.
std::optional<TargetAddress> find_dyper_alone(std::string_view text);

// The same, but loads the agent into a JVM of this user that has none; `loaded` is then true.
// `target` becomes what resolve_target() makes of it. `agent`: its library, "": the one in ../lib
// of this executable.
Result<DdmClient> connect_or_load(std::string& target, const std::string& agent, bool& loaded);

// Receives events for so long, if for any time at all. The error: the connection has ended.
template <typename Client>
std::optional<Error> listen_for(Client& client, double seconds) {
  if (seconds <= 0) return {};
  return client.listen(std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
}

// The help of this argument.
inline constexpr const char* kTargetHelp =
    "pid, a part of the program's name (see `ddm ps`), HOST:PORT or unix:PATH; optional if only "
    "one program has the agent";

// Why a list of the programs with the agent is empty.
inline constexpr const char* kNoPrograms =
    "no program here has the agent; `ddm ps --all` lists the others, `ddm attach PID` loads it";

}  // namespace ddm
