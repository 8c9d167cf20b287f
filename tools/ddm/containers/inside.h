// Access to the files and sockets of a process in other namespaces, such as a container's.
//
// Paths are resolved below that process's root as it would resolve them (openat2(2),
// RESOLVE_IN_ROOT), so that no link leads to files outside. Sockets in its network are created by a
// child process that enters the namespace as the user of that process, since root out here has no
// rights in there.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>

#include "core/file_descriptor.h"
#include "core/result.h"
#include "wire/sockets/address.h"

namespace ddm {

// Where an agent listens.
struct TargetAddress : Address {
  TargetAddress() = default;
  TargetAddress(Address address, pid_t in = 0)
      : Address(std::move(address)), inside(in) {}  // NOLINT: implicit
  pid_t inside = 0;  // the process whose namespaces contain the address; 0: ours
};

// Whether a process is in another namespace of this kind ("net", "user", "pid", "mnt").
bool in_other_namespace(pid_t pid, const char* kind);

// open(2) below its root.
Result<FileDescriptor> open_inside(pid_t pid, const std::string& path, int flags, mode_t mode = 0);

// A connected, non-blocking socket to where the process `pid` of this user and group has it.
Result<FileDescriptor> connect_inside(pid_t pid, uid_t uid, gid_t gid, const Address& address,
                                      std::chrono::milliseconds limit);

}  // namespace ddm
