// The two methods of peer_check.h to find the owner of a TCP socket.
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "core/file_descriptor.h"
#include "wire/sockets/peer_check.h"

namespace ddm {
namespace {

struct Endpoint {
  std::array<std::uint32_t, 4> address{};  // network byte order; IPv4 in [0]
  in_port_t port = 0;                      // network byte order
};

Endpoint endpoint_of(const SocketAddress& address) {
  Endpoint result;
  if (address.family() == AF_INET6) {
    const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&address.storage);
    std::memcpy(result.address.data(), &v6->sin6_addr, sizeof v6->sin6_addr);
    result.port = v6->sin6_port;
  } else {
    const auto* v4 = reinterpret_cast<const sockaddr_in*>(&address.storage);
    result.address[0] = v4->sin_addr.s_addr;
    result.port = v4->sin_port;
  }
  return result;
}

struct DiagRequest {
  nlmsghdr header{};
  inet_diag_req_v2 body{};
};

// The one message that answers an exact query, or the errno of NLMSG_ERROR.
Result<std::optional<SocketOwner>> read_answer(int fd, in_port_t local, in_port_t remote) {
  alignas(nlmsghdr) std::array<char, 8192> buffer;
  // A query for one socket is answered before send() returns.
  const ssize_t size = recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < static_cast<ssize_t>(sizeof(nlmsghdr))) return errno_error("sock_diag");
  const auto* header = reinterpret_cast<const nlmsghdr*>(buffer.data());
  if (!NLMSG_OK(header, static_cast<std::size_t>(size))) return Error{"sock_diag: cut off"};
  if (header->nlmsg_type == NLMSG_ERROR && header->nlmsg_len >= NLMSG_LENGTH(sizeof(nlmsgerr))) {
    const auto* error = reinterpret_cast<const nlmsgerr*>(NLMSG_DATA(header));
    if (error->error == -ENOENT) {
      // A kernel without tcp_diag gives the same error, so it proves nothing.
      return Error{"sock_diag: no such socket"};
    }
    return Error{"sock_diag: " + errno_text(-error->error)};
  }
  if (header->nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      header->nlmsg_len < NLMSG_LENGTH(sizeof(inet_diag_msg))) {
    return Error{"sock_diag: an answer of type " + std::to_string(header->nlmsg_type)};
  }
  const auto* found = reinterpret_cast<const inet_diag_msg*>(NLMSG_DATA(header));
  // Without an exact match the kernel returns a listener of that port.
  if (found->id.idiag_sport != local || found->id.idiag_dport != remote ||
      found->idiag_inode == 0) {
    return std::optional<SocketOwner>();
  }
  return std::optional<SocketOwner>({found->idiag_uid, found->idiag_inode, found->idiag_state});
}

// In the format of /proc/net/tcp: the address's words in host order, the port.
std::string proc_text(const std::uint32_t* words, int count, in_port_t port) {
  std::string text;
  char buffer[16];
  for (int i = 0; i < count; ++i) {
    std::snprintf(buffer, sizeof buffer, "%08" PRIX32, words[i]);
    text += buffer;
  }
  std::snprintf(buffer, sizeof buffer, ":%04X", static_cast<unsigned>(ntohs(port)));
  return text + buffer;
}

// "sl: LOCAL REMOTE ST tx:rx tr:when retrnsmt uid timeout inode ..."
std::optional<SocketOwner> find_line(std::ifstream& table, const std::string& local,
                                     const std::string& remote) {
  const std::string wanted = " " + local + " " + remote + " ";
  for (std::string line; std::getline(table, line);) {
    const std::size_t at = line.find(wanted);
    if (at == std::string::npos) continue;
    unsigned state = 0;
    std::uint32_t uid = 0;
    std::uint64_t inode = 0;
    if (std::sscanf(line.c_str() + at + wanted.size(), "%x %*s %*s %*s %" SCNu32 " %*s %" SCNu64,
                    &state, &uid, &inode) == 3 &&
        inode != 0) {
      return SocketOwner{uid, inode, state};
    }
  }
  return {};
}

}  // namespace

Result<std::optional<SocketOwner>> query_sock_diag(const SocketAddress& local,
                                                   const SocketAddress& remote) {
  const FileDescriptor fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!fd.valid()) return errno_error("sock_diag");
  const Endpoint from = endpoint_of(local);
  const Endpoint to = endpoint_of(remote);
  DiagRequest request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.body.sdiag_family = static_cast<std::uint8_t>(local.family());
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = ~0u;
  request.body.id.idiag_sport = from.port;
  request.body.id.idiag_dport = to.port;
  std::memcpy(request.body.id.idiag_src, from.address.data(), sizeof from.address);
  std::memcpy(request.body.id.idiag_dst, to.address.data(), sizeof to.address);
  request.body.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  request.body.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  if (send(fd.get(), &request, sizeof request, 0) != static_cast<ssize_t>(sizeof request)) {
    return errno_error("sock_diag");
  }
  return read_answer(fd.get(), from.port, to.port);
}

Result<std::optional<SocketOwner>> search_proc_net(const SocketAddress& local,
                                                   const SocketAddress& remote) {
  const Endpoint from = endpoint_of(local);
  const Endpoint to = endpoint_of(remote);
  bool readable = false;
  if (local.family() == AF_INET) {
    std::ifstream table("/proc/net/tcp");
    readable = table.is_open();
    if (const auto owner = find_line(table, proc_text(from.address.data(), 1, from.port),
                                     proc_text(to.address.data(), 1, to.port))) {
      return std::optional<SocketOwner>(owner);
    }
  }
  // An IPv4 peer may use an IPv6 socket, as Java does; its addresses are then ::ffff:a.b.c.d.
  const auto mapped = [&local](const Endpoint& endpoint) {
    if (local.family() == AF_INET6) return endpoint.address;
    return std::array<std::uint32_t, 4>{0, 0, htonl(0xffff), endpoint.address[0]};
  };
  std::ifstream table("/proc/net/tcp6");
  readable = readable || table.is_open();
  if (!readable) return Error{"/proc/net/tcp cannot be read"};
  return std::optional<SocketOwner>(find_line(table, proc_text(mapped(from).data(), 4, from.port),
                                              proc_text(mapped(to).data(), 4, to.port)));
}

}  // namespace ddm
