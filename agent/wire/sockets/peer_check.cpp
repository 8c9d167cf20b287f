#include "wire/sockets/peer_check.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>

#include "core/file_descriptor.h"

namespace ddm {
namespace {

std::optional<Error> check_unix_peer(int fd) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return errno_error("the peer's uid is not known");
  }
  return check_uid(peer.uid, uid_view());
}

bool is_established(int fd) {
  tcp_info info{};
  socklen_t length = sizeof info;
  return getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
         info.tcpi_state == TCP_ESTABLISHED;
}

Result<std::optional<SocketOwner>> owner_of_far_end(const SocketAddress& here,
                                                    const SocketAddress& there) {
  const auto asked = query_sock_diag(there, here);
  if (asked) return asked;
  const auto searched = search_proc_net(there, here);
  if (searched) return searched;
  return Error{"who connects cannot be found out: " + asked.message() + ", " + searched.message()};
}

std::optional<Error> check_tcp_peer(int fd, const SocketAddress& here, const SocketAddress& there) {
  const auto owner = owner_of_far_end(here, there);
  if (!owner) return owner.error();
  if (!*owner || (*owner)->state != TCP_ESTABLISHED) {
    return Error{"no process of this machine holds the other end"};
  }
  // The connection is still established, so the owner found is that of its other end and not of a
  // later socket with the same 4-tuple.
  if (!is_established(fd)) return Error{"the peer is gone"};
  return check_uid((*owner)->uid, uid_view());
}

}  // namespace

bool maps_every_uid(std::string_view uid_map) {
  std::istringstream in{std::string(uid_map)};
  std::uint64_t inside = 1;
  std::uint64_t outside = 1;
  std::uint64_t count = 0;
  return in >> inside >> outside >> count && inside == 0 && outside == 0 && count == 0xffffffff;
}

UidView uid_view() {
  UidView view;
  view.ours = geteuid();
  view.all_mapped = maps_every_uid(file_text("/proc/self/uid_map").value_or(""));
  const std::string overflow = file_text("/proc/sys/kernel/overflowuid").value_or("");
  // If not readable, it keeps its default.
  std::from_chars(overflow.data(), overflow.data() + overflow.size(), view.overflow);
  return view;
}

std::optional<Error> check_uid(uid_t peer, const UidView& view) {
  const std::string text = "uid " + std::to_string(peer);
  if (peer == view.overflow && !view.all_mapped) {
    return Error{text + " may be any user that has no number in this user namespace"};
  }
  if (peer == view.ours || peer == 0) return {};
  return Error{text + " is neither root nor ours (" + std::to_string(view.ours) + ")"};
}

std::optional<Error> check_peer(int fd, Access access) {
  if (access == Access::kAny) return {};
  const SocketAddress here = local_end(fd);
  const SocketAddress there = far_end(fd);
  if (here.length == 0 || there.length == 0) return Error{"the peer is gone"};
  if (here.family() == AF_UNIX) return check_unix_peer(fd);
  return check_tcp_peer(fd, here, there);
}

bool still_reads(int fd) {
  const SocketAddress here = local_end(fd);
  if (here.family() == AF_UNIX) {
    pollfd polled{fd, 0, 0};
    return poll(&polled, 1, 0) == 0;  // POLLHUP: both directions are closed
  }
  const auto owner = owner_of_far_end(here, far_end(fd));
  return owner && *owner && ((*owner)->state == TCP_FIN_WAIT1 || (*owner)->state == TCP_FIN_WAIT2);
}

}  // namespace ddm
