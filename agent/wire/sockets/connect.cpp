#include "wire/sockets/connect.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

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

Result<FileDescriptor> connect_to(const Address& address, std::chrono::milliseconds limit) {
  const auto candidates = resolve(address);
  if (!candidates) return candidates.error();
  std::string failed;
  for (const SocketAddress& candidate : *candidates) {
    auto fd = begin_connecting(candidate);
    if (!fd) {
      failed = fd.message();
      continue;
    }
    pollfd polled{fd->get(), POLLOUT, 0};
    const int ready = poll(&polled, 1, static_cast<int>(limit.count()));
    const int error = ready < 0 ? errno : ready == 0 ? ETIMEDOUT : connecting_ended(fd->get());
    if (error == 0) return fd;
    failed = errno_text(error);
  }
  return Error{"cannot connect to " + to_string(address) + ": " + failed};
}

}  // namespace ddm
