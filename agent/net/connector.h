// Connects out to a DDM server (server=n), again and again until there is one. The I/O thread's.
#pragma once

#include <chrono>
#include <vector>

#include "sockets/file_descriptor.h"
#include "sockets/socket_address.h"

namespace ddm {

class Connector {
 public:
  using Clock = std::chrono::steady_clock;

  // A host name is resolved here, once: looking it up later would hold up the I/O thread.
  static Result<Connector> create(const Address& address);

  // When begin() is due; in the far future while an attempt or a connection is there.
  Clock::time_point due() const { return due_; }
  void begin(Clock::time_point now);

  // The socket of an attempt that is going on, to be polled for writing; -1: none.
  int fd() const { return socket_.get(); }

  // The attempt is over: the connection, or an invalid one after which due() is set again.
  FileDescriptor finish(Clock::time_point now);

  // The connection has ended.
  void connection_lost(Clock::time_point now);

 private:
  explicit Connector(std::vector<SocketAddress> candidates) : candidates_(std::move(candidates)) {}
  void failed(Clock::time_point now);

  std::vector<SocketAddress> candidates_;
  std::size_t next_ = 0;
  FileDescriptor socket_;
  Clock::time_point due_{};  // at once
  std::chrono::milliseconds pause_{};
};

}  // namespace ddm
