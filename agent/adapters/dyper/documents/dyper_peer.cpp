#include "adapters/dyper/documents/dyper_peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "wire/sessions/access_rules.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kCheckTime{5};
constexpr std::chrono::milliseconds kCheckPause{20};
constexpr std::chrono::seconds kUnreadTime{60};
constexpr std::size_t kReadSize = std::size_t{64} << 10;

}  // namespace

DyperPeer::DyperPeer(FileDescriptor socket, std::string name, std::shared_ptr<Waker> waker,
                     bool checked)
    : socket_(std::move(socket)),
      name_(std::move(name)),
      waker_(std::move(waker)),
      checked_(checked),
      check_until_(Clock::now() + kCheckTime),
      check_next_(Clock::now()) {
  tune_socket(socket_.get());
}

void DyperPeer::send(std::string_view framed) {
  const ByteSpan bytes(reinterpret_cast<const std::uint8_t*>(framed.data()), framed.size());
  if (bytes.size() >= StoredData::kFrom) {
    if (auto stored = StoredData::of(bytes)) return push({{std::move(*stored)}});
  }
  push({{Bytes(bytes.begin(), bytes.end())}});
}

void DyperPeer::answer(std::string_view document) {
  send(framed_reply(document));
  --pending_;
  waker_->wake();  // reading may go on
}

void DyperPeer::push(OutgoingPacket packet) {
  if (queue_.push(std::move(packet)) == SendQueue::Push::kOverflow) overflown_ = true;
  waker_->wake();
}

short DyperPeer::events() const {
  if (!checked_) return 0;
  const int events =
      (!ended_ && pending_ < kMostPending ? POLLIN : 0) | (queue_.waiting() ? POLLOUT : 0);
  return static_cast<short>(events);
}

DyperPeer::Clock::time_point DyperPeer::deadline() const {
  if (!checked_) return check_next_;
  const auto unread = queue_.waiting();
  return unread ? unread->last_progress + kUnreadTime : Clock::time_point::max();
}

std::optional<Error> DyperPeer::check(Access access, std::string_view greeting) {
  if (!checked_) {
    auto refused = check_peer(fd(), access);
    check_next_ = Clock::now() + kCheckPause;
    if (refused) return Clock::now() < check_until_ ? std::nullopt : std::move(refused);
  }
  checked_ = true;
  queue_.open({reinterpret_cast<const std::uint8_t*>(greeting.data()), greeting.size()});
  return {};
}

bool DyperPeer::read() {
  std::array<char, kReadSize> buffer;
  const ssize_t size = recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) ended_ = true;  // it may still wait for answers
  reader_.append({buffer.data(), static_cast<std::size_t>(size)});
  return true;
}

std::optional<std::string> DyperPeer::next() {
  if (pending_ >= kMostPending) return {};
  auto document = reader_.next();
  if (document) ++pending_;
  return document;
}

bool DyperPeer::write() {
  if (overflown_) return false;
  if (queue_.drain(fd()) == SendQueue::Drain::kBroken) return false;
  queue_.take_leftovers();
  const auto unread = queue_.waiting();
  if (ended_ && !unread && pending_ == 0) return false;
  return !unread || Clock::now() - unread->last_progress < kUnreadTime;
}

}  // namespace ddm
