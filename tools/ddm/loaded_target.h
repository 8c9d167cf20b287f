// A target for a command; the agent is loaded into a JVM that runs without it.
#pragma once

#include <string>

#include "containers/inside.h"

namespace ddm {

// As find_target() of resolve_target(target), but loads the agent with these options into a JVM of
// this user that has none; `loaded` is then true. `agent`: its library, "": the one in ../lib of
// this executable.
Result<TargetAddress> find_or_load(std::string& target, const std::string& agent,
                                   const std::string& options, bool& loaded);

}  // namespace ddm
