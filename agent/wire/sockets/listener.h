// A listening socket: bound, non-blocking, closed on exec. Owned by one thread at a time.
#pragma once

#include <sys/types.h>

#include "core/file_descriptor.h"
#include "core/result.h"
#include "wire/sockets/address.h"

namespace ddm {

class Listener {
 public:
  // kTcp, kScan or kUnix. The error says which address could not be bound and what to do instead. A
  // Unix socket is created with mode 0600; one that a dead process left at the path is replaced;
  // %p and %t in its path are filled in.
  static Result<Listener> open(const Address& address);

  Listener(Listener&& other) noexcept = default;
  Listener& operator=(Listener&& other) noexcept = delete;
  ~Listener();  // removes a Unix socket's path, unless it has been replaced

  int fd() const { return socket_.get(); }

  // The address actually bound, with the port that was free; numeric.
  const Address& bound() const { return bound_; }

 private:
  Listener(FileDescriptor socket, Address bound)
      : socket_(std::move(socket)), bound_(std::move(bound)) {}
  static Result<Listener> open_tcp(const Address& address);
  static Result<Listener> open_scan();
  static Result<Listener> open_unix(Address address);

  FileDescriptor socket_;
  Address bound_;
  dev_t device_ = 0;  // of the Unix socket's path
  ino_t inode_ = 0;
};

}  // namespace ddm
