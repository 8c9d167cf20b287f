// The discovery file of a process that lives in other namespaces, read from out here.
#pragma once

#include "wire/sockets/discovery.h"

namespace ddm {

// What a process of another pid or mount namespace has published there; its pid is the one that it
// has here. None: nothing, or nothing that is its own.
std::optional<Target> published_inside(pid_t pid, pid_t own_pid);

}  // namespace ddm
