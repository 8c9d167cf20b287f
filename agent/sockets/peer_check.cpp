#include "sockets/peer_check.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sockets/file_descriptor.h"

namespace ddm {
namespace {

std::optional<Error> check_uid(uid_t uid) {
  if (uid == geteuid() || uid == 0) return {};
  return Error{"uid " + std::to_string(uid) + " is neither root nor ours (" +
               std::to_string(geteuid()) + ")"};
}

std::optional<Error> check_unix_peer(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return errno_error("the peer's uid is not known");
  }
  return check_uid(peer.uid);
}

bool is_established(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
         info.tcpi_state == TCP_ESTABLISHED;
}

std::optional<Error> check_tcp_peer(int fd, const SocketAddress& here, const SocketAddress& there) {
  auto owner = ask_sock_diag(there, here);
  if (!owner) {
    const std::string why = owner.message();
    owner = ask_proc_net(there, here);
    if (!owner) return Error{"who connects cannot be found out: " + why + ", " + owner.message()};
  }
  if (!*owner) return Error{"no process of this machine holds the other end"};
  // Still established, so what was found is the other end of this very connection, and not of one
  // that has had the same 4-tuple since.
  if (!is_established(fd)) return Error{"the peer is gone"};
  return check_uid((*owner)->uid);
}

}  // namespace

std::optional<Error> check_peer(int fd, Access access) {
  if (access == Access::kAny) return {};
  const SocketAddress here = local_end(fd);
  const SocketAddress there = far_end(fd);
  if (here.length == 0 || there.length == 0) return Error{"the peer is gone"};
  if (here.family() == AF_UNIX) return check_unix_peer(fd);
  return check_tcp_peer(fd, here, there);
}

}  // namespace ddm
