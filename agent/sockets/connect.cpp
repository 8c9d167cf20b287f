#include "sockets/connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "sockets/socket_address.h"

namespace ddm {
namespace {

// 0 or errno.
int finish_connecting(int fd, std::chrono::milliseconds limit) {
  pollfd polled{fd, POLLOUT, 0};
  const int ready = poll(&polled, 1, static_cast<int>(limit.count()));
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

}  // namespace

Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit) {
  const auto candidates = resolve(address);
  if (!candidates) return candidates.error();
  int error = 0;
  for (const SocketAddress& candidate : *candidates) {
    FileDescriptor fd(socket(candidate.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd.valid()) return errno_error("socket");
    error = connect(fd.get(), candidate.raw(), candidate.length) == 0 ? 0 : errno;
    if (error == EINPROGRESS || error == EINTR) error = finish_connecting(fd.get(), limit);
    if (error != 0) continue;
    const int on = 1;
    if (candidate.family() != AF_UNIX) {
      // Slower without, and nothing worse.
      (void)setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    return fd;
  }
  return Error{"cannot connect to " + to_string(address) + ": " + errno_text(error)};
}

}  // namespace ddm
