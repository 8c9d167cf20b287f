// Agents in other containers: the discovery files inside, and addresses that work from here.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "containers/inside.h"
#include "jvm_process.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// As a target of published_targets(). None: the process is in no container, has no agent, or its
// agent has published nothing.
std::optional<Target> published_by(const JvmProcess& jvm);

// That address as seen from here.
Result<TargetAddress> address_of(const JvmProcess& jvm, const Target& target);

// A connected, non-blocking socket.
Result<FileDescriptor> connect_to_target_at(const TargetAddress& address,
                                            std::chrono::seconds patience);

// Those of list_targets(), and those in containers; by pid.
std::vector<Target> all_targets();

}  // namespace ddm
