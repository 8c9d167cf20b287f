// The outgoing packets of one peer: any thread appends, the I/O thread writes.
//
// Initially closed: nothing is queued before the handshake is answered. Bounded: a peer that does
// not read overflows the queue and is disconnected. The packet being added is not counted, so one
// large answer always fits; nor is data stored in files.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "wire/chunks/packet.h"

namespace ddm {

class SendQueue {
 public:
  using Clock = std::chrono::steady_clock;

  // `max_bytes`: limit in memory. The queue has room while at most `room_bytes` wait, stored data
  // included.
  SendQueue(std::size_t max_bytes, std::size_t room_bytes)
      : max_bytes_(max_bytes), room_bytes_(room_bytes) {}

  // Queues `greeting` and accepts packets from now on.
  void open(ByteSpan greeting);
  // Accepts nothing more; what is queued is still written.
  void finish();
  // Drops everything, now and later.
  void close();

  enum class Push { kQueued, kDropped, kOverflow };
  Push push(OutgoingPacket packet);

  enum class Drain { kEmpty, kMore, kBlocked, kBroken, kFinished };
  // Writes what the socket accepts without blocking, up to one turn; kMore: call again. kBroken:
  // the peer is gone, errno says why. kFinished: empty, and will stay so.
  Drain drain(int socket);

  bool is_open() const;

  // Blocks until there is room; false after `limit`, or if the queue is not open.
  bool wait_for_room(std::chrono::milliseconds limit);
  // True once when there is room again after a caller found none.
  bool has_room_again();

  struct Waiting {
    std::size_t memory = 0;
    std::size_t stored = 0;
    Clock::time_point last_progress;  // when the peer last read, or nothing was queued
  };
  // nullopt: the queue is empty.
  std::optional<Waiting> waiting() const;

  // Stored data that was sent. Closing a file may block on a disk, so the I/O thread leaves it to
  // another one.
  using Leftovers = std::vector<std::shared_ptr<const StoredData>>;
  Leftovers take_leftovers();

 private:
  bool has_room() const { return memory_ + stored_ <= room_bytes_; }
  ssize_t write_memory(int socket);
  ssize_t write_stored(int socket) const;
  void consume(std::size_t written);

  enum class State { kNotYet, kOpen, kFinishing, kClosed };

  const std::size_t max_bytes_;
  const std::size_t room_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable less_;  // notified when the queue shrinks or accepts nothing more
  State state_ = State::kNotYet;
  bool refused_room_ = false;
  std::deque<OutgoingPacket::Piece> pieces_;
  std::size_t offset_ = 0;  // within the first piece
  std::size_t memory_ = 0;  // of whole pieces, until the first one is written
  std::size_t stored_ = 0;
  Leftovers leftovers_;
  Clock::time_point last_progress_;
};

}  // namespace ddm
