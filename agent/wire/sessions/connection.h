// One peer: its socket, handshake, and packets in both directions.
//
// Created, read, written and ended by the I/O thread; the methods of Session may be called by any
// thread. Nothing is read before check_peer() has accepted the peer.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

#include "core/file_descriptor.h"
#include "core/waker.h"
#include "wire/chunks/dispatcher.h"
#include "wire/chunks/packet.h"
#include "wire/sessions/peer.h"
#include "wire/sessions/send_queue.h"
#include "wire/sessions/server_options.h"

namespace ddm {

// Shared by all connections of a Server.
struct ServerContext {
  const ServerOptions options;
  Dispatcher& dispatcher;
  Executor& executor;
  std::shared_ptr<Waker> waker;
  OnRefusedPeer on_refused_peer;

  void log(LogLevel severity, const std::string& text) const {
    if (options.log) options.log(severity, text);
  }
};

class Connection : public Session, public Peer, public std::enable_shared_from_this<Connection> {
 public:
  // `checked`: check_peer() has accepted the peer; otherwise it is checked at its first bytes.
  Connection(std::shared_ptr<const ServerContext> context, std::uint64_t id, FileDescriptor socket,
             std::string peer, bool checked);

  // Session: any thread.
  std::uint64_t id() const override { return id_; }
  bool is_open() const override { return queue_.is_open(); }
  void send_event(Chunk chunk) override;
  void send(OutgoingPacket packets) override { push(stored_if_large(std::move(packets))); }
  bool wait_for_room(std::chrono::milliseconds limit) override {
    return queue_.wait_for_room(limit);
  }
  bool takes_zlib() const override;
  void close() override;

  // Peer: the I/O thread.
  const std::string& name() const override { return peer_; }
  pollfd polled() const override;
  Clock::time_point deadline() const override;
  bool read() override;
  bool serve(Clock::time_point now) override { return on_wakeup() && on_deadline(now); }
  void flush() override { on_wakeup(); }
  void end(bool notify) override;
  Burden burden() const override;

 private:
  // False: the connection must be ended.
  bool on_wakeup();  // writes the queue, and resumes reading if it was paused
  bool on_deadline(Clock::time_point now);

  int fd() const { return socket_.get(); }
  // Progress of the connection.
  enum class Stage {
    kUnchecked,
    kGreeting,  // accepted; the handshake is incomplete
    kJdwp,      // exchanges packets
    kDdm,       // has sent a DDM packet; the observer knows it
  };

  bool shake_hands(ByteSpan& data);
  bool handle_packets();
  void handle(Packet packet);
  void dispatch(Packet packet);
  bool too_busy() const;
  void reply(std::uint32_t id, std::size_t request_size, std::vector<Chunk> chunks);
  void push(OutgoingPacket packet);
  // The peer sends nothing more. False: nor does it wait for answers.
  bool on_end_of_file();
  bool half_closed() const { return look_due_ != Clock::time_point::max(); }
  void free_leftovers();
  bool refuse(const std::string& why);

  const std::shared_ptr<const ServerContext> context_;
  const std::uint64_t id_;
  const std::string peer_;
  FileDescriptor socket_;
  SendQueue queue_;
  std::atomic<bool> close_requested_{false};
  std::atomic<std::size_t> requests_{0};  // dispatched and not yet answered
  std::atomic<std::size_t> request_bytes_{0};

  // Accessed by the I/O thread only.
  PacketReader reader_;
  Stage stage_;
  std::size_t handshake_bytes_ = 0;
  bool debugged_ = false;  // a debugger's commands arrive on this connection
  bool paused_ = false;    // reading is paused: too many requests, or a full queue
  Clock::time_point handshake_due_;
  Clock::time_point packet_due_ =
      Clock::time_point::max();  // deadline for the packet being received
  // The peer has closed its sending side and reads the rest of its answers: when to see next
  // whether it still does.
  Clock::time_point look_due_ = Clock::time_point::max();
};

}  // namespace ddm
