// Connects out to a DDM server (server=n), again and again until there is one. The I/O thread's; it
// waits for nothing, the resolver included.
#pragma once

#include <chrono>
#include <vector>

#include "core/file_descriptor.h"
#include "wire/sessions/address_lookup.h"

namespace ddm {

class Connector {
 public:
  using Clock = std::chrono::steady_clock;

  // `waker` of the I/O thread: rings when a name has been looked up.
  static Result<Connector> create(const Address& address, std::shared_ptr<Waker> waker);

  // When go_on() has something to do even if nothing rings; in the far future while an attempt or a
  // connection is there.
  Clock::time_point due() const { return due_; }

  // Looks the name up or begins an attempt, if it is time to. The error: the name is not known,
  // which is told once; it is looked up again.
  std::optional<Error> go_on(Clock::time_point now);

  // The socket of an attempt that is going on, to be polled for writing; -1: none.
  int fd() const { return socket_.get(); }

  // The attempt is over: the connection, or an invalid one after which due() is set again.
  FileDescriptor finish(Clock::time_point now);

  // The connection has ended.
  void connection_lost(Clock::time_point now);

 private:
  Connector(Address address, std::shared_ptr<Waker> waker)
      : address_(std::move(address)), waker_(std::move(waker)) {}
  void begin(Clock::time_point now);
  void failed(Clock::time_point now);

  Address address_;
  std::shared_ptr<Waker> waker_;
  AddressLookup lookup_;                   // valid while it goes on
  std::vector<SocketAddress> candidates_;  // still to be tried; none: to be looked up
  bool told_ = false;
  FileDescriptor socket_;
  Clock::time_point due_{};  // at once
  std::chrono::milliseconds pause_{};
};

}  // namespace ddm
