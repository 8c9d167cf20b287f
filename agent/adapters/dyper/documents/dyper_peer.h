// One DYPER client: its socket, its documents in and out.
//
// Made, read and written by the server's I/O thread; send(), answered() and has_room() by any
// thread. Documents are handed on one after the other, and each is answered once; while too many
// are not, no more are read.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/framing.h"
#include "core/file_descriptor.h"
#include "core/waker.h"
#include "wire/sessions/send_queue.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

class DyperPeer {
 public:
  using Clock = std::chrono::steady_clock;

  // `checked`: may be served. Otherwise it is checked again and again until the other process has
  // accepted our connection and so owns its end.
  DyperPeer(FileDescriptor socket, std::string name, std::shared_ptr<Waker> waker, bool checked);

  // Text that is framed already. Any thread; never waits.
  void send(std::string_view framed);
  // The answer to the oldest document that has none.
  void answer(std::string_view document);
  // What was sent before is read.
  bool has_room() { return queue_.wait_for_room(std::chrono::milliseconds::zero()); }

  // From here on: the I/O thread.
  int fd() const { return socket_.get(); }
  const std::string& name() const { return name_; }
  short events() const;
  Clock::time_point deadline() const;
  // Lets it in, with `greeting` first, when it is checked. The error: it is refused.
  std::optional<Error> check(Access access, std::string_view greeting);
  bool checked() const { return checked_; }
  // Reads once. False: it has gone.
  bool read();
  // The next document, unless too many wait.
  std::optional<std::string> next();
  // Writes what the socket takes. False: it has gone, or does not read.
  bool write();
  void close() { queue_.close(); }

 private:
  static constexpr int kMostPending = 64;
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;
  static constexpr std::size_t kRoom = std::size_t{256} << 10;

  void push(OutgoingPacket packet);

  FileDescriptor socket_;
  const std::string name_;
  const std::shared_ptr<Waker> waker_;
  SendQueue queue_{kMostUnread, kRoom};
  std::atomic<int> pending_{0};
  std::atomic<bool> overflown_{false};

  // The I/O thread's own.
  bool checked_ = false;
  bool ended_ = false;  // sends no more
  Clock::time_point check_until_;
  Clock::time_point check_next_;
  DocumentReader reader_;
};

using DyperPeerPtr = std::shared_ptr<DyperPeer>;

}  // namespace ddm
