// Decides whether the peer of a connection may inspect this process.
//
// The kernel knows a Unix socket's peer (SO_PEERCRED). A local TCP peer owns the socket with the
// reversed 4-tuple; that socket is queried through NETLINK_SOCK_DIAG, or searched in /proc/net/tcp
// and tcp6 where that is not available. It must be ESTABLISHED and have an inode: a socket closed
// by its process shows as uid 0, and root is accepted.
//
// In a user namespace every uid without a mapping appears as the overflow uid (65534, "nobody";
// user_namespaces(7)). There that uid is never accepted.
//
// Takes about 20 microseconds, never blocks on the peer. Any thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

#include "core/result.h"
#include "wire/sockets/socket_address.h"

namespace ddm {

enum class Access {
  kUser,  // this process's effective user and root
  kAny,
};

// nullopt: accepted. Otherwise why not.
std::optional<Error> check_peer(int fd, Access access);

// After an end of file: whether the peer has only closed its sending side and still has its socket.
// False, too, if that cannot be known: a TCP peer on another machine.
bool still_reads(int fd);

// How to interpret the kernel's uids in this process.
struct UidView {
  uid_t ours = 0;
  uid_t overflow = 65534;
  bool all_mapped = false;  // every uid is mapped in this namespace
};
UidView uid_view();

// Whether it is the line "0 0 4294967295", as /proc/self/uid_map has outside user namespaces.
bool maps_every_uid(std::string_view uid_map);

// nullopt: the peer is this process's user or root.
std::optional<Error> check_uid(uid_t peer, const UidView& view);

// A TCP socket of this machine with an inode, so a process has it.
struct SocketOwner {
  uid_t uid = 0;
  ino_t inode = 0;
  unsigned state = 0;  // TCP_ESTABLISHED, ...
};

// The owner of the socket bound to `local` and connected to `remote`. nullopt: there is none, or it
// has no inode. The error: this method is not available here.
Result<std::optional<SocketOwner>> query_sock_diag(const SocketAddress& local,
                                                   const SocketAddress& remote);
Result<std::optional<SocketOwner>> search_proc_net(const SocketAddress& local,
                                                   const SocketAddress& remote);

}  // namespace ddm
