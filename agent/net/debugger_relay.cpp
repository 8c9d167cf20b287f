#include "net/debugger_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>

#include "net/io_thread.h"
#include "sockets/connect.h"

namespace ddm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kConnectTime{2000};
constexpr milliseconds kHandshakeTime{3000};
// How often a wait looks whether the debugger is still there.
constexpr milliseconds kGlance{50};
constexpr milliseconds kRecovery{3000};
// Commands for a back end that does not read.
constexpr std::size_t kMaxWaiting = std::size_t{32} << 20;

constexpr std::uint8_t kVirtualMachineSet = 1;
constexpr std::uint8_t kDispose = 6;

// After VirtualMachine.Dispose the back end closes its end, as it should.
bool is_dispose(const Bytes& packet) {
  return packet.size() >= kPacketHeaderSize && packet[9] == kVirtualMachineSet &&
         packet[10] == kDispose;
}

std::uint32_t id_of(const Bytes& packet) {
  ByteReader in(packet);
  in.u4();
  return in.u4();
}

}  // namespace

// The connection to the back end while it is there; the relay's thread's own.
struct DebuggerRelay::Link {
  FileDescriptor socket;
  Bytes sending;  // taken from waiting_, partly written
  std::size_t sent = 0;
  PacketReader reader{kMaxOutgoingPacket};
  bool disposed = false;
};

bool DebuggerRelay::packet(const SessionPtr& session, ByteSpan bytes) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || (session_ && session_ != session)) return false;
  if (!waker_) {
    auto waker = Waker::create();
    if (!waker) return false;
    waker_ = std::move(*waker);
  }
  if (!thread_.joinable()) thread_ = start_io_thread("ddm-debugger", [this] { run(); });
  if (!thread_.joinable()) return false;
  if (waiting_bytes_ > kMaxWaiting) {
    session->close();
    return true;
  }
  if (!session_) {
    session_ = session;
    fresh_ = true;
  }
  waiting_.emplace_back(bytes.begin(), bytes.end());
  waiting_bytes_ += bytes.size();
  waker_->wake();
  return true;
}

void DebuggerRelay::detach(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  if (session_ != session) return;
  session_.reset();
  waiting_.clear();
  waiting_bytes_ = 0;
  waker_->wake();
}

void DebuggerRelay::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    session_.reset();
    if (!thread_.joinable()) return;
    waker_->wake();
  }
  thread_.join();
}

bool DebuggerRelay::attached(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  return session_ == session && !fresh_;
}

void DebuggerRelay::give_up(const SessionPtr& session) {
  std::deque<Bytes> unanswered;
  {
    const std::lock_guard lock(mutex_);
    if (session_ != session || fresh_) return;
    session_.reset();
    unanswered.swap(waiting_);
    waiting_bytes_ = 0;
  }
  for (const Bytes& command : unanswered) {
    session->send_packet(error_packet(id_of(command), kErrorNotImplemented).flatten());
  }
}

void DebuggerRelay::run() {
  while (true) {
    SessionPtr session;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
      if (session_ && std::exchange(fresh_, false)) session = session_;
    }
    if (session) {
      try {
        serve(session);
      } catch (const std::exception& failure) {
        log_(Severity::kWarning, std::string("debugger: ") + failure.what());
      }
      give_up(session);
      continue;
    }
    pollfd polled{waker_->fd(), POLLIN, 0};
    poll(&polled, 1, -1);
    waker_->reset();
  }
}

void DebuggerRelay::serve(const SessionPtr& session) {
  auto backend = connect_to_backend(session);
  if (!backend) {
    log_(Severity::kInfo, "a debugger was turned away: " + backend.message());
    return;
  }
  carry(std::move(*backend), session);
}

// A jdwp agent that has just seen one debugger off takes a moment until it waits for the next.
Result<FileDescriptor> DebuggerRelay::connect_to_backend(const SessionPtr& session) {
  while (true) {
    auto socket = try_backend(session);
    if (socket || Clock::now() > last_link_ + kRecovery || !attached(session)) return socket;
    std::this_thread::sleep_for(kGlance);
  }
}

Result<FileDescriptor> DebuggerRelay::try_backend(const SessionPtr& session) {
  const auto backend = find_();
  if (!backend) return backend.error();
  Error failed{"there is no jdwp agent"};
  for (const Address& place : backend->places) {
    if (!attached(session)) return Error{"it has gone already"};
    auto socket = connect_to(place, kConnectTime);
    if (!socket) {
      failed = socket.error();
    } else if (auto refused = shake_hands(socket->get(), session)) {
      failed = Error{to_string(place) + ": " + refused->message};
    } else if (auto stranger = check_peer(socket->get(), backend->access)) {
      failed = Error{to_string(place) + ": " + stranger->message};
    } else {
      return socket;
    }
  }
  return failed;
}

std::optional<Error> DebuggerRelay::shake_hands(int fd, const SessionPtr& session) {
  if (send(fd, kHandshake.data(), kHandshake.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kHandshake.size())) {
    return errno_error("sending the handshake");
  }
  std::array<char, kHandshake.size()> echo{};
  std::size_t have = 0;
  const auto deadline = Clock::now() + kHandshakeTime;
  while (have < echo.size()) {
    if (!attached(session)) return Error{"the debugger has gone already"};
    if (Clock::now() > deadline) {
      return Error{"no answer to the handshake; has it a debugger already?"};
    }
    pollfd polled{fd, POLLIN, 0};
    if (poll(&polled, 1, static_cast<int>(kGlance.count())) <= 0) continue;
    const ssize_t size = recv(fd, echo.data() + have, echo.size() - have, MSG_DONTWAIT);
    if (size == 0) return Error{"closed before the handshake"};
    if (size < 0 && errno != EAGAIN && errno != EINTR) return errno_error("reading the handshake");
    if (size > 0) have += static_cast<std::size_t>(size);
  }
  if (!std::equal(echo.begin(), echo.end(), kHandshake.begin())) {
    return Error{"it does not speak JDWP"};
  }
  return {};
}

void DebuggerRelay::carry(FileDescriptor backend, const SessionPtr& session) {
  log_(Severity::kInfo, "a debugger has been attached");
  Link link;
  link.socket = std::move(backend);
  bool alive = true;
  while (alive && attached(session)) {
    if (!send_waiting(link)) break;
    const short wanted = link.sending.empty() ? POLLIN : POLLIN | POLLOUT;
    std::array<pollfd, 2> polled{{{waker_->fd(), POLLIN, 0}, {link.socket.get(), wanted, 0}}};
    poll(polled.data(), polled.size(), -1);
    if ((polled[0].revents & POLLIN) != 0) waker_->reset();
    if ((polled[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0) alive = receive(link, session);
  }
  last_link_ = Clock::now();
  log_(Severity::kInfo, "the debugger has been detached");
  // A debugger whose back end has gone without its asking must not wait for answers.
  if (!link.disposed && attached(session)) session->close();
}

// False: the link is broken.
bool DebuggerRelay::send_waiting(Link& link) {
  while (true) {
    if (link.sending.empty()) {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty() || fresh_) return true;
      link.sending = std::move(waiting_.front());
      waiting_.pop_front();
      waiting_bytes_ -= link.sending.size();
      link.disposed = is_dispose(link.sending);
    }
    const ssize_t size = send(link.socket.get(), link.sending.data() + link.sent,
                              link.sending.size() - link.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    link.sent += static_cast<std::size_t>(size);
    if (link.sent == link.sending.size()) {
      link.sending.clear();
      link.sent = 0;
    }
  }
}

// False: the link has ended.
bool DebuggerRelay::receive(Link& link, const SessionPtr& session) {
  std::array<std::uint8_t, std::size_t{64} << 10> buffer;
  const ssize_t size = recv(link.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) return false;
  link.reader.append(ByteSpan(buffer).first(static_cast<std::size_t>(size)));
  while (auto packet = link.reader.next()) {
    if (!pass_on(std::move(packet->bytes), session)) return false;
  }
  return !link.reader.error();
}

// Waits while the debugger does not read, so that the back end waits too and nothing piles up.
bool DebuggerRelay::pass_on(Bytes packet, const SessionPtr& session) {
  while (!session->wait_for_room(kGlance)) {
    if (!session->is_open() || !attached(session)) return false;
  }
  session->send_packet(std::move(packet));
  return true;
}

}  // namespace ddm
