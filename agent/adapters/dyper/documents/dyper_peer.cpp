#include "adapters/dyper/documents/dyper_peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

namespace ddm {
namespace {

constexpr std::chrono::seconds kCheckTime{5};
constexpr std::chrono::milliseconds kCheckPause{20};
constexpr std::chrono::seconds kUnreadTime{60};
constexpr std::size_t kReadSize = std::size_t{64} << 10;

}  // namespace

DyperPeer::DyperPeer(std::shared_ptr<const Settings> settings, FileDescriptor socket,
                     std::string name, std::shared_ptr<Waker> waker, bool checked)
    : settings_(std::move(settings)),
      name_(std::move(name)),
      waker_(std::move(waker)),
      socket_(std::move(socket)),
      checked_(checked),
      check_until_(Clock::now() + kCheckTime),
      check_next_(Clock::now()) {
  if (checked_) greet();
}

void DyperPeer::send(std::string_view framed) {
  auto packet = stored_if_large({{Bytes(framed.begin(), framed.end())}});
  if (queue_.push(std::move(packet)) == SendQueue::Push::kOverflow) overflown_ = true;
  waker_->wake();
}

void DyperPeer::answer(std::string_view document, std::size_t asked_bytes) {
  send(framed_reply(document));
  pending_bytes_ -= asked_bytes;
  --pending_;
  waker_->wake();  // reading may go on
}

pollfd DyperPeer::polled() const {
  const bool reads = !ended_ && takes_more();
  const int events = checked_ ? (reads ? POLLIN : 0) | (queue_.waiting() ? POLLOUT : 0) : 0;
  // Polled for no event, poll() would return at once, repeatedly, after the peer has closed.
  return {events != 0 ? socket_.get() : -1, static_cast<short>(events), 0};
}

Clock::time_point DyperPeer::deadline() const {
  if (!checked_) return check_next_;
  const auto unread = queue_.waiting();
  return unread ? unread->last_progress + kUnreadTime : Clock::time_point::max();
}

std::optional<Error> DyperPeer::check() {
  auto refused = check_peer(socket_.get(), settings_->access);
  check_next_ = Clock::now() + kCheckPause;
  if (refused) return Clock::now() < check_until_ ? std::nullopt : std::move(refused);
  checked_ = true;
  greet();
  return {};
}

void DyperPeer::greet() {
  const std::string& greeting = settings_->greeting;
  queue_.open({reinterpret_cast<const std::uint8_t*>(greeting.data()), greeting.size()});
}

bool DyperPeer::serve(Clock::time_point now) {
  if (!checked_) {
    const auto refused = check();
    if (refused && settings_->log) {
      settings_->log(LogLevel::kWarn, "DYPER: " + name_ + ": " + refused->message);
    }
    return !refused;
  }
  // Before it is asked whether there is room: once nothing is left to write, nothing wakes a peer
  // that is not being read.
  if (!write()) return false;
  while (auto document = next()) settings_->on_document(shared_from_this(), std::move(*document));
  const bool answered = pending_ == 0;  // asked first: an answer is queued before it is counted
  const auto unread = queue_.waiting();
  if (ended_ && answered && !unread) return false;
  return !unread || now - unread->last_progress < kUnreadTime;
}

Peer::Burden DyperPeer::burden() const {
  const auto unread = queue_.waiting().value_or(SendQueue::Waiting{});
  return {reader_.held() + pending_bytes_ + unread.memory, unread.stored};
}

bool DyperPeer::read() {
  std::array<char, kReadSize> buffer;
  const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) ended_ = true;  // the peer may still wait for answers
  reader_.append({buffer.data(), static_cast<std::size_t>(size)});
  return true;
}

bool DyperPeer::takes_more() const {
  const auto unread = queue_.waiting();
  return pending_ < kMostPending && pending_bytes_ < kMostPendingBytes &&
         (!unread || unread->memory + unread->stored <= kRoomBytes);
}

std::optional<std::string> DyperPeer::next() {
  if (!takes_more()) return {};
  auto document = reader_.next();
  if (!document) return {};
  pending_bytes_ += document->size();
  ++pending_;
  return document;
}

bool DyperPeer::write() {
  if (overflown_) return false;
  if (queue_.drain(socket_.get()) == SendQueue::Drain::kBroken) return false;
  free_leftovers();
  return true;
}

void DyperPeer::free_leftovers() {
  SendQueue::Leftovers gone = queue_.take_leftovers();
  if (!gone.empty() && settings_->free) settings_->free(std::move(gone));
}

// Documents that still wait for their answers keep this object, but not its socket and its files.
void DyperPeer::end(bool notify) {
  queue_.close();
  socket_.reset();
  if (notify) free_leftovers();
}

}  // namespace ddm
