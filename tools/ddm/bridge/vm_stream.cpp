#include "bridge/vm_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace ddm {

std::string VmStream::take(std::size_t max) {
  if (!readable_ || ended_) return {};
  std::string data(max, '\0');
  ssize_t size = 0;
  do {
    size = recv(socket_.get(), data.data(), data.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size > 0) {
    data.resize(static_cast<std::size_t>(size));
    return data;
  }
  if (size < 0 && errno == EAGAIN) {
    readable_ = false;
  } else {
    ended_ = true;
  }
  return {};
}

void VmStream::put(std::string data) {
  to_vm_ += data;
  drain();
}

short VmStream::events(bool reading) const {
  if (ended_) return 0;
  return static_cast<short>((reading ? POLLIN : 0) | (to_vm_.empty() ? 0 : POLLOUT));
}

void VmStream::on_ready(short revents) {
  if ((revents & (POLLIN | POLLHUP | POLLERR)) != 0) readable_ = true;
  if ((revents & (POLLOUT | POLLHUP | POLLERR)) != 0) drain();
  if ((revents & (POLLHUP | POLLERR)) != 0) hung_up_ = true;
}

void VmStream::drain() {
  while (!to_vm_.empty()) {
    const ssize_t size = send(socket_.get(), to_vm_.data(), to_vm_.size(), MSG_NOSIGNAL);
    if (size > 0) {
      to_vm_.erase(0, static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      return;
    } else if (errno != EINTR) {
      // What the VM has sent before it went is still to be read; that ends the stream.
      to_vm_.clear();
      readable_ = true;
    }
  }
}

}  // namespace ddm
