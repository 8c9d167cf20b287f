#include "net/send_queue.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace ddm {

void SendQueue::open(ByteSpan greeting) {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kNotYet) return;
  state_ = State::kOpen;
  Entry entry{{{Bytes(greeting.begin(), greeting.end())}}, greeting.size()};
  entries_.push_back(std::move(entry));
}

void SendQueue::close() {
  std::deque<Entry> dropped;  // freed outside the lock
  const std::lock_guard lock(mutex_);
  state_ = State::kClosed;
  dropped.swap(entries_);
  less_.notify_all();
}

bool SendQueue::is_open() const {
  const std::lock_guard lock(mutex_);
  return state_ == State::kOpen;
}

bool SendQueue::wait_for_room(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  less_.wait_for(lock, limit,
                 [this] { return state_ != State::kOpen || bytes_behind_head_ <= max_bytes_ / 4; });
  return state_ == State::kOpen && bytes_behind_head_ <= max_bytes_ / 4;
}

SendQueue::Push SendQueue::push(OutgoingPacket packet) {
  const std::size_t size = packet.size();
  const std::lock_guard lock(mutex_);
  if (state_ != State::kOpen || size == 0) return Push::kDropped;
  if (bytes_behind_head_ > max_bytes_) return Push::kOverflow;
  if (!entries_.empty()) bytes_behind_head_ += size;
  entries_.push_back({std::move(packet), size});
  return Push::kQueued;
}

SendQueue::Drain SendQueue::drain(int socket) {
  // The lock is held while writing: packets go out whole and in order, and a write that does not
  // wait is short.
  const std::lock_guard lock(mutex_);
  while (!entries_.empty()) {
    std::array<iovec, 64> pieces;
    std::size_t count = 0;
    std::size_t piece = piece_;
    std::size_t offset = offset_;
    for (const Entry& entry : entries_) {
      for (; piece < entry.packet.pieces.size() && count < pieces.size(); ++piece, offset = 0) {
        const Bytes& bytes = entry.packet.pieces[piece];
        pieces[count++] = {const_cast<std::uint8_t*>(bytes.data()) + offset, bytes.size() - offset};
      }
      if (count == pieces.size()) break;
      piece = 0;
    }
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = count;
    const ssize_t written = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      return errno == EAGAIN || errno == EWOULDBLOCK ? Drain::kBlocked : Drain::kBroken;
    }
    consume(static_cast<std::size_t>(written));
  }
  return Drain::kEmpty;
}

void SendQueue::consume(std::size_t written) {
  while (!entries_.empty()) {
    std::vector<Bytes>& pieces = entries_.front().packet.pieces;
    for (; piece_ < pieces.size(); ++piece_, offset_ = 0) {
      const std::size_t left = pieces[piece_].size() - offset_;
      if (written < left) {
        offset_ += written;
        return;
      }
      written -= left;
      pieces[piece_] = {};  // written, so its memory is free again
    }
    entries_.pop_front();
    piece_ = 0;
    if (!entries_.empty()) bytes_behind_head_ -= entries_.front().size;
    less_.notify_all();
  }
}

}  // namespace ddm
