#include "wire/sessions/send_queue.h"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace ddm {
namespace {

// Written per turn at most, for fairness towards other peers.
constexpr std::size_t kTurn = std::size_t{1} << 20;

}  // namespace

void SendQueue::open(ByteSpan greeting) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kNotYet) return;
  state_ = State::kOpen;
  if (greeting.empty()) return;
  pieces_.emplace_back(Bytes(greeting.begin(), greeting.end()));
  memory_ += greeting.size();
  last_progress_ = Clock::now();
}

void SendQueue::finish() {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kOpen) state_ = State::kFinishing;
  less_.notify_all();
}

void SendQueue::close() {
  std::deque<OutgoingPacket::Piece> dropped;  // destroyed outside the lock
  const std::lock_guard lock(mutex_);
  state_ = State::kClosed;
  for (OutgoingPacket::Piece& piece : pieces_) {
    if (piece.stored) leftovers_.push_back(std::move(piece.stored));
  }
  dropped.swap(pieces_);
  memory_ = stored_ = 0;
  less_.notify_all();
}

bool SendQueue::is_open() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::kOpen;
}

bool SendQueue::wait_for_room(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  less_.wait_for(lock, limit, [this] { return state_ != State::kOpen || has_room(); });
  refused_room_ = refused_room_ || !has_room();
  return state_ == State::kOpen && has_room();
}

bool SendQueue::has_room_again() {
  const std::lock_guard lock(mutex_);
  if (!refused_room_ || !has_room()) return false;
  refused_room_ = false;
  return true;
}

std::optional<SendQueue::Waiting> SendQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  if (pieces_.empty()) return {};
  return Waiting{memory_, stored_, last_progress_};
}

SendQueue::Leftovers SendQueue::take_leftovers() {
  const std::lock_guard lock(mutex_);
  return std::exchange(leftovers_, {});
}

SendQueue::Push SendQueue::push(OutgoingPacket packet) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen || packet.size() == 0) return Push::kDropped;
  if (memory_ > max_bytes_) return Push::kOverflow;
  if (pieces_.empty()) last_progress_ = Clock::now();
  for (OutgoingPacket::Piece& piece : packet.pieces) {
    if (piece.size() == 0) continue;
    (piece.stored ? stored_ : memory_) += piece.size();
    pieces_.push_back(std::move(piece));
  }
  return Push::kQueued;
}

SendQueue::Drain SendQueue::drain(int socket) {
  // The lock is held while writing: packets stay whole and in order, and a non-blocking write is
  // short.
  const std::lock_guard lock(mutex_);
  for (std::size_t done = 0; !pieces_.empty();) {
    if (done >= kTurn) return Drain::kMore;
    const ssize_t written = pieces_.front().stored ? write_stored(socket) : write_memory(socket);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return errno == EAGAIN || errno == EWOULDBLOCK ? Drain::kBlocked : Drain::kBroken;
    }
    if (written == 0) return Drain::kBroken;  // the file was truncated by another process
    done += static_cast<std::size_t>(written);
    consume(static_cast<std::size_t>(written));
  }
  return state_ == State::kFinishing ? Drain::kFinished : Drain::kEmpty;
}

ssize_t SendQueue::write_memory(int socket) {
  std::array<iovec, 64> parts;
  std::size_t count = 0;
  std::size_t offset = offset_;
  for (const OutgoingPacket::Piece& piece : pieces_) {
    if (count == parts.size() || piece.stored) break;
    parts[count++] = {const_cast<std::uint8_t*>(piece.bytes.data()) + offset,
                      piece.bytes.size() - offset};
    offset = 0;
  }
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = count;
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

// sendfile() has no flag against SIGPIPE; the I/O thread blocks it.
ssize_t SendQueue::write_stored(int socket) const {
  const StoredData& data = *pieces_.front().stored;
  auto from = static_cast<off_t>(offset_);
  const std::size_t left = static_cast<std::size_t>(data.size()) - offset_;
  return sendfile(socket, data.fd(), &from, std::min(left, kTurn));
}

void SendQueue::consume(std::size_t written) {
  last_progress_ = Clock::now();
  while (written > 0) {
    OutgoingPacket::Piece& piece = pieces_.front();
    const std::size_t size = piece.size();
    if (written < size - offset_) {
      offset_ += written;
      return;
    }
    written -= size - offset_;
    (piece.stored ? stored_ : memory_) -= size;
    if (piece.stored) leftovers_.push_back(std::move(piece.stored));
    pieces_.pop_front();
    offset_ = 0;
    less_.notify_all();
  }
}

}  // namespace ddm
