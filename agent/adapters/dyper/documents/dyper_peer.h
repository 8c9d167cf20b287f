// One DYPER client: its socket, its documents in and out.
//
// The I/O thread creates it, reads and writes; any thread may call send(), answer() and has_room().
// Documents are passed on in order, and each gets one answer; while too many are unanswered, or
// the answers are not read, none is passed on and the socket is not read.
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
#include "wire/sessions/peer.h"
#include "wire/sessions/send_queue.h"
#include "wire/sessions/server_options.h"
#include "wire/sockets/peer_check.h"

namespace ddm {

class DyperPeer final : public Peer, public std::enable_shared_from_this<DyperPeer> {
 public:
  struct Settings {  // shared by all peers
    Access access = Access::kUser;
    std::string greeting;  // framed; the first text that a peer receives
    // On the I/O thread; must not block. Leads to one peer->answer() with the document's size, from
    // any thread.
    std::function<void(const std::shared_ptr<DyperPeer>& peer, std::string document)> on_document;
    // Destroys the files that a peer has finished with on another thread: close() may wait for a
    // disk, and the I/O thread must not block.
    std::function<void(SendQueue::Leftovers)> free;
    Log log;  // any thread
  };

  // `checked`: the peer may be served. Otherwise the check is repeated until the other process has
  // accepted the connection and so owns its end.
  DyperPeer(std::shared_ptr<const Settings> settings, FileDescriptor socket, std::string name,
            std::shared_ptr<Waker> waker, bool checked);

  // Sends text that is already framed. Any thread; never blocks.
  void send(std::string_view framed);
  // Answers the oldest unanswered document, which had so many bytes.
  void answer(std::string_view document, std::size_t asked_bytes);
  // The peer has read everything that was sent.
  bool has_room() { return queue_.wait_for_room(std::chrono::milliseconds::zero()); }

  // Peer: the I/O thread.
  const std::string& name() const override { return name_; }
  pollfd polled() const override;
  Clock::time_point deadline() const override;
  bool read() override;
  bool serve(Clock::time_point now) override;
  void flush() override { write(); }
  void end(bool notify) override;
  Burden burden() const override;

 private:
  static constexpr int kMostPending = 64;
  static constexpr std::size_t kMostPendingBytes = std::size_t{4} << 20;
  static constexpr std::size_t kMostUnread = std::size_t{8} << 20;
  static constexpr std::size_t kRoomBytes = std::size_t{256} << 10;

  // Accepts the peer once the check succeeds. The error: the peer is refused.
  std::optional<Error> check();
  void greet();
  // Another document may be passed on.
  bool takes_more() const;
  // The next document to pass on.
  std::optional<std::string> next();
  // Writes as much as the socket accepts. False: the peer has closed.
  bool write();
  void free_leftovers();

  const std::shared_ptr<const Settings> settings_;
  const std::string name_;
  const std::shared_ptr<Waker> waker_;
  SendQueue queue_{kMostUnread, kRoomBytes};
  std::atomic<int> pending_{0};
  std::atomic<std::size_t> pending_bytes_{0};
  std::atomic<bool> overflown_{false};

  // Used by the I/O thread only.
  FileDescriptor socket_;
  bool checked_ = false;
  bool ended_ = false;  // the peer has closed its sending side
  Clock::time_point check_until_;
  Clock::time_point check_next_;
  DocumentReader reader_;
};

using DyperPeerPtr = std::shared_ptr<DyperPeer>;

}  // namespace ddm
