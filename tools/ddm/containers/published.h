// Agents in other containers: the discovery files inside, and addresses that work from here.
#pragma once

#include <optional>
#include <vector>

#include "containers/inside.h"
#include "jvm_process.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// None: the process is in no container, has no agent, or its agent does not listen.
std::optional<Target> published_by(const JvmProcess& jvm);

// That address as seen from here.
Result<TargetAddress> address_of(const JvmProcess& jvm, const Target& target);

// Those of list_targets(), and those in containers; by pid.
std::vector<Target> all_targets();

}  // namespace ddm
