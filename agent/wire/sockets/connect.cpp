#include "wire/sockets/connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace ddm {

Result<FileDescriptor> begin_connecting(const SocketAddress& target) {
  FileDescriptor fd(socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno_error("socket");
  if (target.family() != AF_UNIX) {
    const int on = 1;
    // Without TCP_NODELAY the connection is only slower.
    (void)setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  if (connect(fd.get(), target.raw(), target.length) != 0 && errno != EINPROGRESS &&
      errno != EINTR) {
    return Error{errno_text(errno)};
  }
  return fd;
}

int connecting_ended(int fd) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error;
}

Result<FileDescriptor> connect_to(const SocketAddress& target, std::chrono::milliseconds limit) {
  auto socket = begin_connecting(target);
  if (!socket) return socket;
  const auto end = std::chrono::steady_clock::now() + limit;
  int ready = 0;
  do {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd polled{socket->get(), POLLOUT, 0};
    ready = poll(&polled, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
  } while (ready < 0 && errno == EINTR);
  const int error = ready < 0 ? errno : ready == 0 ? ETIMEDOUT : connecting_ended(socket->get());
  if (error != 0) return Error{errno_text(error)};
  return socket;
}

Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit) {
  const auto candidates = resolve(address);
  if (!candidates) return candidates.error();
  std::string failed;
  for (const SocketAddress& candidate : *candidates) {
    auto socket = connect_to(candidate, limit);
    if (socket) return socket;
    failed = socket.message();
  }
  return Error{"cannot connect to " + to_string(address) + ": " + failed};
}

}  // namespace ddm
