// Who is at the other end of a connection, and may they look into this process?
//
// A Unix socket's peer is known to the kernel (SO_PEERCRED). A TCP peer on this machine owns the
// socket with our 4-tuple turned round; that socket is asked for through NETLINK_SOCK_DIAG, or
// looked up in /proc/net/tcp and tcp6 where that is not to be had. It must be ESTABLISHED and have
// an inode: a socket that its process has closed shows as uid 0, and root is welcome.
//
// Inside a user namespace every uid that the namespace has no number for shows as one and the same,
// the overflow uid (65534, "nobody"; user_namespaces(7)). There that number is nobody's for sure.
//
// Blocks for some 20 microseconds, never on the peer. Any thread.
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

// Nothing: welcome. Otherwise why not.
std::optional<Error> check_peer(int fd, Access access);

// What a uid that the kernel tells us is worth in this process.
struct UidView {
  uid_t ours = 0;
  uid_t overflow = 65534;
  bool all_mapped = false;  // every uid has a number here
};
UidView uid_view();

// The one line "0 0 4294967295" of /proc/self/uid_map outside of user namespaces.
bool maps_every_uid(std::string_view uid_map);

// Nothing: the peer is us or root.
std::optional<Error> check_uid(uid_t peer, const UidView& view);

// An open, ESTABLISHED TCP socket of this machine.
struct SocketOwner {
  uid_t uid = 0;
  ino_t inode = 0;
};

// The owner of the socket bound to `local` and connected to `remote`. None: there is none, or it
// is not ESTABLISHED, or it has no inode. The error: this way of asking does not work here.
Result<std::optional<SocketOwner>> ask_sock_diag(const SocketAddress& local,
                                                 const SocketAddress& remote);
Result<std::optional<SocketOwner>> ask_proc_net(const SocketAddress& local,
                                                const SocketAddress& remote);

}  // namespace ddm
