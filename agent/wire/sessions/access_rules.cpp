#include "wire/sessions/access_rules.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <utility>

#include "wire/sockets/socket_address.h"

namespace ddm {

std::optional<Error> check_access(const Address& address, bool connect_out, Access access,
                                  const Log& log) {
  if (is_loopback(address)) return {};
  const std::string where = to_string(address);
  const auto warn = [&](const std::string& text) {
    if (log) log(LogLevel::kWarn, text);
  };
  if (access == Access::kAny) {
    warn("anybody who can reach " + where + " may look into this program and end it");
    return {};
  }
  if (connect_out) {
    return Error{"cannot connect to " + where +
                 ": a server on another machine cannot be checked; allow it with access=any"};
  }
  warn(
      "listening on " + where +
      ", but only this user's processes on this machine may connect; access=any lets everybody in");
  return {};
}

OnRefusedPeer warn_of_first_refusal(Log log) {
  return [log = std::move(log),
          warned = std::make_shared<std::atomic<bool>>(false)](const std::string& text) {
    if (log) log(warned->exchange(true) ? LogLevel::kInfo : LogLevel::kWarn, text);
  };
}

std::string peer_name(int fd) {
  const Address address = to_address(far_end(fd));
  return address.kind == Address::Kind::kTcp ? to_string(address) : "a local process";
}

void tune_socket(int fd) {
  if (local_end(fd).family() == AF_UNIX) return;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace ddm
