// Connects out to a DDM server (server=n), and retries until one accepts. Used by the I/O thread;
// never blocks, not even on the resolver.
#pragma once

#include <chrono>
#include <vector>

#include "core/file_descriptor.h"
#include "wire/sessions/address_lookup.h"

namespace ddm {

class Connector {
 public:
  using Clock = std::chrono::steady_clock;

  // `waker`: the I/O thread's; woken when a name has been resolved.
  static Result<Connector> create(const Address& address, std::shared_ptr<Waker> waker);

  // When go_on() has to be called at the latest; far in the future during an attempt or a
  // connection.
  Clock::time_point due() const { return due_; }

  // Starts a lookup or an attempt if it is due. The error: the name is unknown, reported once; the
  // lookup is repeated.
  std::optional<Error> go_on(Clock::time_point now);

  // The socket of the attempt in progress, to be polled for POLLOUT; -1: none.
  int fd() const { return socket_.get(); }

  // Ends the attempt: returns the connection, or an invalid descriptor and sets due().
  FileDescriptor finish(Clock::time_point now);

  // Retries later, as after a failed attempt. Call when the connection has ended.
  void pause(Clock::time_point now);

 private:
  Connector(Address address, std::shared_ptr<Waker> waker)
      : address_(std::move(address)), waker_(std::move(waker)) {}
  void begin(Clock::time_point now);

  Address address_;
  std::shared_ptr<Waker> waker_;
  AddressLookup lookup_;                   // valid during a lookup
  std::vector<SocketAddress> candidates_;  // not tried yet; empty: needs a lookup
  bool error_reported_ = false;
  FileDescriptor socket_;
  Clock::time_point due_{};  // due at once
  std::chrono::milliseconds pause_{};
};

}  // namespace ddm
