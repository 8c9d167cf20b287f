// What is still to be written to one peer: any thread appends, the I/O thread writes.
//
// Closed at first: nothing is queued before the handshake has been answered. Bounded: a peer that
// does not read overflows it and loses its connection. The size of the packet that is added does
// not count, so that one big answer always fits; nor does what is stored in files.
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

  // `max_bytes`: in memory. There is room while at most `room_bytes` wait, stored ones too.
  SendQueue(std::size_t max_bytes, std::size_t room_bytes)
      : max_bytes_(max_bytes), room_bytes_(room_bytes) {}

  // Lets packets in, behind `greeting`.
  void open(ByteSpan greeting);
  // Drops everything, now and later.
  void close();

  enum class Push { kQueued, kDropped, kOverflow };
  Push push(OutgoingPacket packet);

  enum class Drain { kEmpty, kMore, kBlocked, kBroken };
  // Writes what the socket takes without waiting, but not for ever: kMore means to come back.
  // kBroken: the peer is gone, errno says why.
  Drain drain(int socket);

  bool is_open() const;

  // Until there is room; false when that takes longer than `limit`, or the queue is not open.
  bool wait_for_room(std::chrono::milliseconds limit);
  // There is room again since somebody was told that there was none; says so once.
  bool has_room_again();

  struct Waiting {
    std::size_t memory = 0;
    std::size_t stored = 0;
    Clock::time_point last_progress;  // when the peer last took something, or was owed nothing
  };
  // None: nothing waits.
  std::optional<Waiting> waiting() const;

  // Stored data that is not needed any more. To close a file may take a disk's time, which the I/O
  // thread has not.
  using Leftovers = std::vector<std::shared_ptr<const StoredData>>;
  Leftovers take_leftovers();

 private:
  bool has_room() const { return memory_ + stored_ <= room_bytes_; }
  ssize_t write_memory(int socket);
  ssize_t write_stored(int socket) const;
  void consume(std::size_t written);
  void drop_head_piece();

  enum class State { kNotYet, kOpen, kClosed };

  const std::size_t max_bytes_;
  const std::size_t room_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable less_;  // fewer bytes are waiting, or none ever again
  State state_ = State::kNotYet;
  bool refused_room_ = false;
  std::deque<OutgoingPacket::Piece> pieces_;
  std::size_t offset_ = 0;  // within the first piece
  std::size_t memory_ = 0;  // whole pieces, as long as the first one is not written
  std::size_t stored_ = 0;
  Leftovers leftovers_;
  Clock::time_point last_progress_;
};

}  // namespace ddm
