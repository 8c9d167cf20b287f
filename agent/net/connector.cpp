#include "net/connector.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace ddm {
namespace {

// As Android's VMs do: 0.5 s, growing to 2 s.
constexpr std::chrono::milliseconds kFirstPause{500};
constexpr std::chrono::milliseconds kLongestPause{2000};

// A socket that connects to a free local port may be given that very port, and then it is
// connected to itself and keeps the real server from binding it.
bool is_connected_to_itself(int fd) {
  const SocketAddress here = local_end(fd);
  const SocketAddress there = far_end(fd);
  return here.family() != AF_UNIX && here.length == there.length &&
         std::memcmp(&here.storage, &there.storage, here.length) == 0;
}

}  // namespace

Result<Connector> Connector::create(const Address& address) {
  const bool whole = address.kind == Address::Kind::kUnix ||
                     (address.kind == Address::Kind::kTcp && address.port != 0);
  if (!whole) {
    return Error{"cannot connect to '" + to_string(address) +
                 "': server=n needs HOST:PORT with a port, or unix:PATH"};
  }
  auto candidates = resolve(address);
  if (!candidates) return candidates.error();
  return Connector(std::move(*candidates));
}

void Connector::begin(Clock::time_point now) {
  const SocketAddress& target = candidates_[next_++ % candidates_.size()];
  socket_ = FileDescriptor(socket(target.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  due_ = Clock::time_point::max();
  if (!socket_.valid() || (connect(socket_.get(), target.raw(), target.length) != 0 &&
                           errno != EINPROGRESS && errno != EINTR)) {
    failed(now);
  }
}

FileDescriptor Connector::finish(Clock::time_point now) {
  int error = 0;
  socklen_t length = sizeof error;
  if (getsockopt(fd(), SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0 ||
      is_connected_to_itself(fd())) {
    failed(now);
    return {};
  }
  pause_ = {};
  return std::move(socket_);
}

void Connector::connection_lost(Clock::time_point now) { failed(now); }

void Connector::failed(Clock::time_point now) {
  socket_.reset();
  pause_ = std::clamp(pause_ * 3 / 2, kFirstPause, kLongestPause);
  due_ = now + pause_;
}

}  // namespace ddm
