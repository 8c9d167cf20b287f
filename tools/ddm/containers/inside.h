// The files and sockets of a process that lives in namespaces of its own: a container's.
//
// Paths are resolved below its root as it would resolve them (openat2(2), RESOLVE_IN_ROOT), so that no
// link of its leads out into ours. Sockets of its network are made by a child of this process that
// enters it, as the user that the other process runs as: a root out here is nobody in there.
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
  pid_t inside = 0;  // the process in whose namespaces all this is to be found; 0: in ours
};

// `kind`: "net", "user", "pid", "mnt". Whether a process is in another one than this.
bool in_other_namespace(pid_t pid, const char* kind);

// open(2) below its root.
Result<FileDescriptor> open_inside(pid_t pid, const std::string& path, int flags, mode_t mode = 0);

// A connected, non-blocking socket to where the process `pid` of this user and group has it.
Result<FileDescriptor> connect_inside(pid_t pid, uid_t uid, gid_t gid, const Address& address,
                                      std::chrono::milliseconds limit);

}  // namespace ddm
