#include "wire/sessions/debugger_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>

#include "core/log.h"
#include "core/native_thread.h"
#include "wire/sessions/address_lookup.h"
#include "wire/sockets/connect.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

// Generous limits, since only the debugger itself waits.
constexpr milliseconds kFindTime{2000};
constexpr milliseconds kLookupTime{30000};
constexpr milliseconds kConnectTime{2000};
constexpr milliseconds kHandshakeTime{3000};
// Interval for checking whether the debugger reads again, or the back end accepts again.
constexpr milliseconds kRetryInterval{50};
constexpr milliseconds kRecovery{3000};
// Time for the back end to close the link after VirtualMachine.Dispose.
constexpr milliseconds kDisposeTime{3000};
// Limit for queued commands to a back end that does not read.
constexpr std::size_t kMaxWaiting = std::size_t{8} << 20;

constexpr std::uint8_t kVirtualMachineSet = 1;
constexpr std::uint8_t kDispose = 6;

// The last command on a link: the back end replies and closes it.
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

// The connection to the back end; accessed by the relay's thread only.
struct DebuggerRelay::Link {
  FileDescriptor socket;
  Bytes sending;  // the command being written
  std::size_t sent = 0;
  PacketReader reader{kMaxOutgoingPacket};
  // Set when a Dispose was sent: no command may follow, and the link ends by then.
  std::optional<Clock::time_point> disposed_until;
};

bool DebuggerRelay::packet(const SessionPtr& session, ByteSpan bytes) {
  const std::lock_guard lock(mutex_);
  if (stopped_ || (debugger_ && debugger_->session != session)) return false;
  if (!waker_) {
    auto waker = Waker::create();
    if (!waker) return false;
    waker_ = std::move(*waker);
  }
  if (!thread_.joinable()) thread_ = start_native_thread("ddm-debugger", [this] { run(); });
  if (!thread_.joinable()) return false;
  if (!debugger_) debugger_ = std::make_shared<Debugger>(session);
  if (debugger_->waiting_bytes > kMaxWaiting) {
    session->close();
    return true;
  }
  debugger_->waiting.emplace_back(bytes.begin(), bytes.end());
  debugger_->waiting_bytes += bytes.size();
  waker_->wake();
  return true;
}

void DebuggerRelay::detach(const SessionPtr& session) {
  const std::lock_guard lock(mutex_);
  if (!debugger_ || debugger_->session != session) return;
  debugger_.reset();
  waker_->wake();
}

void DebuggerRelay::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    debugger_.reset();
    if (!thread_.joinable()) return;
    waker_->wake();
  }
  thread_.join();
  waker_->close();
}

bool DebuggerRelay::attached(const DebuggerPtr& debugger) {
  const std::lock_guard lock(mutex_);
  return debugger_ == debugger;
}

void DebuggerRelay::unlink(const DebuggerPtr& debugger) {
  const std::lock_guard lock(mutex_);
  if (debugger_ != debugger) return;
  debugger_.reset();
  if (debugger->waiting.empty()) return;
  debugger_ = std::make_shared<Debugger>(debugger->session);
  debugger_->waiting.swap(debugger->waiting);
  debugger_->waiting_bytes = debugger->waiting_bytes;
}

void DebuggerRelay::give_up(const DebuggerPtr& debugger) {
  {
    const std::lock_guard lock(mutex_);
    if (debugger_ != debugger) return;
    debugger_.reset();  // no new commands are queued from here on
  }
  for (const Bytes& command : debugger->waiting) {
    debugger->session->send(error_packet(id_of(command), kErrorNotImplemented));
  }
}

void DebuggerRelay::run() {
  while (true) {
    DebuggerPtr debugger;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
      debugger = debugger_;
    }
    if (debugger) {
      try {
        serve(debugger);
      } catch (const std::exception& failure) {
        log_failure("debugger", failure.what());
        give_up(debugger);
      }
      continue;
    }
    pollfd polled{waker_->fd(), POLLIN, 0};
    poll(&polled, 1, -1);
    waker_->reset();
  }
}

void DebuggerRelay::serve(const DebuggerPtr& debugger) {
  auto backend = connect_to_backend(debugger);
  if (!backend) {
    log_(LogLevel::kInfo, "a debugger was turned away: " + backend.message());
    return give_up(debugger);
  }
  if (carry(std::move(*backend), debugger)) return unlink(debugger);
  // The back end closed the link unasked: the debugger must not wait for answers.
  debugger->session->close();
  give_up(debugger);
}

std::optional<Error> DebuggerRelay::await(const DebuggerPtr& debugger, Clock::duration limit,
                                          int fd, short events,
                                          const std::function<bool()>& ready) {
  const auto deadline = Clock::now() + limit;
  while (true) {
    if (!attached(debugger)) return Error{"it has gone already"};
    if (ready()) return {};
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds::zero()) return Error{"no answer in time"};
    std::array<pollfd, 2> polled{{{waker_->fd(), POLLIN, 0}, {fd, events, 0}}};
    poll(polled.data(), polled.size(), static_cast<int>(left.count()));
    if ((polled[0].revents & POLLIN) != 0) waker_->reset();
  }
}

// A jdwp agent needs a moment until it listens: at the start of the VM, and after a debugger has
// detached.
Result<FileDescriptor> DebuggerRelay::connect_to_backend(const DebuggerPtr& debugger) {
  while (true) {
    auto socket = try_backend(debugger);
    const auto since = starts_ ? std::max(born_, last_link_) : last_link_;
    if (socket || Clock::now() > since + kRecovery || !attached(debugger)) return socket;
    (void)await(debugger, kRetryInterval, -1, 0, [] { return false; });
  }
}

Result<FileDescriptor> DebuggerRelay::try_backend(const DebuggerPtr& debugger) {
  auto finding = find_(waker_);
  if (auto missing = await(debugger, kFindTime, -1, 0, [&] { return is_there(finding); })) {
    return std::move(*missing);
  }
  const auto backend = [&]() -> Result<Backend> {
    try {
      return finding.get();
    } catch (const std::future_error&) {  // the promise was destroyed
      return Error{"the program ends"};
    }
  }();
  starts_ = backend && backend->starts;
  if (!backend) return backend.error();
  Error failed{"no jdwp agent of this VM waits for a debugger on a socket"};
  for (const Address& place : backend->places) {
    auto socket = connect(place, debugger);
    std::optional<Error> unfit;
    if (!socket) {
      unfit = socket.error();
    } else if (!(unfit = shake_hands(socket->get(), debugger))) {
      unfit = check_peer(socket->get(), backend->access);
    }
    if (!unfit) return socket;
    failed = Error{to_string(place) + ": " + unfit->message};
  }
  return failed;
}

Result<FileDescriptor> DebuggerRelay::connect(const Address& place, const DebuggerPtr& debugger) {
  AddressLookup lookup = look_up(place, waker_);
  if (auto unknown = await(debugger, kLookupTime, -1, 0, [&] { return is_there(lookup); })) {
    return std::move(*unknown);
  }
  const auto candidates = lookup.get();
  if (!candidates) return candidates.error();
  Error failed{"there is no address"};
  for (const SocketAddress& candidate : *candidates) {
    auto socket = begin_connecting(candidate);
    if (!socket) {
      failed = socket.error();
      continue;
    }
    const auto ended = [fd = socket->get()] {
      pollfd polled{fd, POLLOUT, 0};
      return poll(&polled, 1, 0) == 1;
    };
    if (auto late = await(debugger, kConnectTime, socket->get(), POLLOUT, ended)) {
      failed = std::move(*late);
    } else if (const int error = connecting_ended(socket->get()); error != 0) {
      failed = Error{errno_text(error)};
    } else {
      return socket;
    }
  }
  return failed;
}

std::optional<Error> DebuggerRelay::shake_hands(int fd, const DebuggerPtr& debugger) {
  if (send(fd, kHandshake.data(), kHandshake.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kHandshake.size())) {
    return errno_error("sending the handshake");
  }
  std::array<char, kHandshake.size()> echo{};
  std::size_t have = 0;
  std::optional<Error> broken;
  const auto complete = [&] {
    const ssize_t size = recv(fd, echo.data() + have, echo.size() - have, MSG_DONTWAIT);
    if (size > 0) have += static_cast<std::size_t>(size);
    if (size == 0) broken = Error{"closed before the handshake"};
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
      broken = errno_error("reading the handshake");
    }
    return broken || have == echo.size();
  };
  if (auto missing = await(debugger, kHandshakeTime, fd, POLLIN, complete)) {
    return Error{"no handshake (" + missing->message + "); does it have a debugger already?"};
  }
  if (broken) return broken;
  if (!std::equal(echo.begin(), echo.end(), kHandshake.begin())) {
    return Error{"it does not speak JDWP"};
  }
  return {};
}

bool DebuggerRelay::carry(FileDescriptor backend, const DebuggerPtr& debugger) {
  log_(LogLevel::kInfo, "a debugger has been attached");
  Link link;
  link.socket = std::move(backend);
  while (attached(debugger)) {
    if (!send_waiting(link, debugger)) break;
    const short wanted = link.sending.empty() ? POLLIN : POLLIN | POLLOUT;
    std::array<pollfd, 2> polled{{{waker_->fd(), POLLIN, 0}, {link.socket.get(), wanted, 0}}};
    const int limit = link.disposed_until ? static_cast<int>(kRetryInterval.count()) : -1;
    poll(polled.data(), polled.size(), limit);
    if ((polled[0].revents & POLLIN) != 0) waker_->reset();
    if ((polled[1].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receive(link, debugger)) break;
    if (link.disposed_until && Clock::now() > *link.disposed_until) break;
  }
  last_link_ = Clock::now();
  log_(LogLevel::kInfo, "the debugger has been detached");
  return link.disposed_until || !attached(debugger);
}

// False: the link is broken.
bool DebuggerRelay::send_waiting(Link& link, const DebuggerPtr& debugger) {
  while (true) {
    if (link.sending.empty()) {
      const std::lock_guard lock(mutex_);
      if (debugger->waiting.empty() || link.disposed_until) return true;
      link.sending = std::move(debugger->waiting.front());
      debugger->waiting.pop_front();
      debugger->waiting_bytes -= link.sending.size();
      if (is_dispose(link.sending)) link.disposed_until = Clock::now() + kDisposeTime;
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
bool DebuggerRelay::receive(Link& link, const DebuggerPtr& debugger) {
  std::array<std::uint8_t, std::size_t{64} << 10> buffer;
  const ssize_t size = recv(link.socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) return false;
  link.reader.append(ByteSpan(buffer).first(static_cast<std::size_t>(size)));
  while (auto packet = link.reader.next()) {
    if (!pass_on(std::move(packet->bytes), debugger)) return false;
  }
  return !link.reader.error();
}

// Blocks while the debugger does not read: backpressure on the back end instead of a growing queue.
bool DebuggerRelay::pass_on(Bytes packet, const DebuggerPtr& debugger) {
  while (!debugger->session->wait_for_room(kRetryInterval)) {
    if (!debugger->session->is_open() || !attached(debugger)) return false;
  }
  debugger->session->send({{std::move(packet)}});
  return true;
}

}  // namespace ddm
