// The agents in other containers: what they have published in there, and how they are reached.
#pragma once

#include <optional>
#include <vector>

#include "containers/inside.h"
#include "jvm_process.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// None: it is in none, has no agent, or its agent does not listen.
std::optional<Target> published_by(const JvmProcess& jvm);

// Where that is from here.
Result<TargetAddress> address_of(const JvmProcess& jvm, const Target& target);

// Those of list_targets(), and those in containers; by pid.
std::vector<Target> all_targets();

}  // namespace ddm
