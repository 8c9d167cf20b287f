// One DYPER client: its socket, its documents in and out.
//
// Made, read and written by the I/O thread; send(), answer() and has_room() by any thread. Documents
// are handed on one after the other, and each is answered once; while too many are not, no more are
// read.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/dyper/documents/framing.h"
#include "core/file_descriptor.h"
#include "core/waker.h"
#include "wire/sessions/access_rules.h"
#include "wire/sessions/peer.h"
#include "wire/sessions/send_queue.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

class DyperPeer final : public Peer, public std::enable_shared_from_this<DyperPeer> {
 public:
  struct Settings {  // of all peers
    Access access = Access::kUser;
    std::string greeting;  // framed; to every peer first
    // On the I/O thread; must not wait. Ends in one peer->answer(), from any thread.
    std::function<void(const std::shared_ptr<DyperPeer>& peer, std::string document)> on_document;
    // Takes what a peer has read: to close a file may take a disk's time, which the I/O thread has
    // not.
    std::function<void(SendQueue::Leftovers)> free;
    Log log;  // any thread
  };

  // `checked`: may be served. Otherwise it is checked again and again until the other process has
  // accepted our connection and so owns its end.
  DyperPeer(std::shared_ptr<const Settings> settings, FileDescriptor socket, std::string name,
            std::shared_ptr<Waker> waker, bool checked);

  // Text that is framed already. Any thread; never waits.
  void send(std::string_view framed);
  // The answer to the oldest document that has none.
  void answer(std::string_view document);
  // What was sent before is read.
  bool has_room() { return queue_.wait_for_room(std::chrono::milliseconds::zero()); }

  // Peer: the I/O thread.
  const std::string& name() const override { return name_; }
  pollfd polled() const override;
  Clock::time_point deadline() const override;
  bool read() override;
  bool serve(Clock::time_point now) override;
  void flush() override { write(); }
  void end(bool) override { queue_.close(); }

 private:
  static constexpr int kMostPending = 64;
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;
  static constexpr std::size_t kRoom = std::size_t{256} << 10;

  void push(OutgoingPacket packet);
  // Lets it in when it is checked. The error: it is refused.
  std::optional<Error> check();
  void greet();
  // The next document, unless too many wait.
  std::optional<std::string> next();
  // Writes what the socket takes. False: it has gone, or does not read.
  bool write();

  const std::shared_ptr<const Settings> settings_;
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
