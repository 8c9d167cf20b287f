// What is still to be written to one peer: any thread appends, the I/O thread writes.
//
// Closed at first: nothing is queued before the handshake has been answered. Bounded: a peer that
// does not read overflows it and loses its connection. The packet at the head does not count, nor
// does the size of the one that is added, so that one big answer (a heap dump) always fits.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

#include "ddm/packet.h"

namespace ddm {

class SendQueue {
 public:
  explicit SendQueue(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Lets packets in, behind `greeting`.
  void open(ByteSpan greeting);
  // Drops everything, now and later.
  void close();

  enum class Push { kQueued, kDropped, kOverflow };
  Push push(OutgoingPacket packet);

  enum class Drain { kEmpty, kBlocked, kBroken };
  // Writes what the socket takes without waiting. kBroken: the peer is gone, errno says why.
  Drain drain(int socket);

  bool is_open() const;

  // Until at most a quarter of the bound is waiting; false when that takes longer than `limit`, or
  // the queue is not open.
  bool wait_for_room(std::chrono::milliseconds limit);

 private:
  struct Entry {
    OutgoingPacket packet;
    std::size_t size = 0;
  };
  enum class State { kNotYet, kOpen, kClosed };

  void consume(std::size_t written);

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable less_;  // fewer bytes are waiting, or none ever again
  State state_ = State::kNotYet;
  std::deque<Entry> entries_;
  std::size_t bytes_behind_head_ = 0;
  std::size_t piece_ = 0;   // of the head packet, being written
  std::size_t offset_ = 0;  // within that piece
};

}  // namespace ddm
