// Agents whose discovery files are elsewhere, in a container or below another XDG_RUNTIME_DIR, and
// addresses that work from here.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "containers/inside.h"
#include "jvm_process.h"
#include "wire/sockets/discovery.h"

namespace ddm {

// As a target of published_targets(), read where the process itself has it. None: the process has no
// agent, or its agent has published nothing.
std::optional<Target> published_by(const JvmProcess& jvm);

// That address as seen from here.
Result<TargetAddress> address_of(const JvmProcess& jvm, const Target& target);

// A connected, non-blocking socket.
Result<FileDescriptor> connect_to_target_at(const TargetAddress& address,
                                            std::chrono::seconds patience);

// Those of list_targets(), and those that are published elsewhere; by pid.
std::vector<Target> all_targets();

}  // namespace ddm
