// A target that is made one, if need be: the agent is loaded into a JVM that runs without it.
#pragma once

#include <string>

#include "containers/inside.h"

namespace ddm {

// As find_target(), and `target` is what named_target() makes of it; but a JVM of this user without the agent gets it, with these options; then `loaded`
// is true. `agent`: its library, "" for the one in ../lib of this command.
Result<TargetAddress> find_or_load(std::string& target, const std::string& agent,
                                   const std::string& options, bool& loaded);

}  // namespace ddm
