#include "wire/sessions/connector.h"

#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "wire/sockets/connect.h"

namespace ddm {
namespace {

// Like Android's VMs: 0.5 s, growing to 2 s.
constexpr std::chrono::milliseconds kFirstPause{500};
constexpr std::chrono::milliseconds kLongestPause{2000};

// A socket that connects to a free local port may be assigned that very port as its own; it is then
// connected to itself and keeps the server from binding the port.
bool is_connected_to_itself(int fd) {
  const SocketAddress here = local_end(fd);
  const SocketAddress there = far_end(fd);
  return here.family() != AF_UNIX && here.length == there.length &&
         std::memcmp(&here.storage, &there.storage, here.length) == 0;
}

}  // namespace

Result<Connector> Connector::create(const Address& address, std::shared_ptr<Waker> waker) {
  const bool whole = address.kind == Address::Kind::kUnix ||
                     (address.kind == Address::Kind::kTcp && address.port != 0);
  if (!whole) {
    return Error{"cannot connect to '" + to_string(address) +
                 "': server=n needs HOST:PORT with a port, or unix:PATH"};
  }
  return Connector(address, std::move(waker));
}

std::optional<Error> Connector::go_on(Clock::time_point now) {
  if (lookup_.valid()) {
    if (!is_there(lookup_)) return {};
    auto found = lookup_.get();
    if (!found) {
      pause(now);
      if (std::exchange(error_reported_, true)) return {};
      return Error{found.message() + "; asking again until it is"};
    }
    candidates_ = std::move(*found);
    begin(now);
  } else if (now >= due_) {
    begin(now);
  }
  return {};
}

void Connector::begin(Clock::time_point now) {
  due_ = Clock::time_point::max();
  if (candidates_.empty()) {
    lookup_ = look_up(address_, waker_);
    if (is_there(lookup_)) due_ = now;
    return;
  }
  auto socket = begin_connecting(candidates_.front());
  candidates_.erase(candidates_.begin());
  if (!socket) return pause(now);
  socket_ = std::move(*socket);
}

FileDescriptor Connector::finish(Clock::time_point now) {
  if (connecting_ended(fd()) != 0 || is_connected_to_itself(fd())) {
    pause(now);
    return {};
  }
  pause_ = {};
  candidates_.clear();  // resolved again for the next connection
  return std::move(socket_);
}

void Connector::pause(Clock::time_point now) {
  socket_.reset();
  pause_ = std::clamp(pause_ * 3 / 2, kFirstPause, kLongestPause);
  due_ = now + pause_;
}

}  // namespace ddm
