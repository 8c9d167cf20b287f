// The discovery file of a process in other namespaces, read from outside.
#pragma once

#include "wire/sockets/discovery.h"

namespace ddm {

// The target that a process of another pid or mount namespace has published there, with its pid in
// this namespace. nullopt: none, or one that does not belong to it.
std::optional<Target> published_inside(pid_t pid, pid_t own_pid);

}  // namespace ddm
