#include "adapters/hprof/hprof_peer.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <thread>
#include <utility>

#include "core/native_thread.h"
#include "wire/sessions/address_lookup.h"
#include "wire/sockets/connect.h"
#include "wire/sockets/peer_check.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kConnectLimit{5000};
constexpr milliseconds kLookupLimit{30'000};
// The kernel knows a connection's owner once the server has accepted it.
constexpr milliseconds kAcceptLimit{5000}, kAcceptPause{20};
constexpr milliseconds kFinishStep{50};

int left_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) : 0;
}

}  // namespace

Result<std::shared_ptr<HprofPeer>> HprofPeer::start(const Address& address, OnCommand on_command,
                                                    Report report) {
  auto waker = Waker::create();
  if (!waker) return waker.error();
  std::shared_ptr<HprofPeer> peer(
      new HprofPeer(address, std::move(*waker), std::move(on_command), std::move(report)));
  peer->queue_.open({});
  std::thread thread = start_native_thread("ddm-hprof", [peer] {
    try {
      peer->run();
    } catch (const std::exception& failure) {
      peer->give_up(failure.what());
    }
    peer->queue_.take_leftovers();  // what nobody reads any more
  });
  if (!thread.joinable()) return Error{"no thread could be started for " + to_string(address)};
  thread.detach();
  return peer;
}

void HprofPeer::send(std::string_view data) {
  push(stored_if_large({{Bytes(data.begin(), data.end())}}));
}

void HprofPeer::send(std::shared_ptr<const StoredData> data) { push({{std::move(data)}}); }

void HprofPeer::push(OutgoingPacket packet) {
  if (queue_.push(std::move(packet)) == SendQueue::Push::kOverflow) {
    give_up("it does not read what it is sent");
  }
  waker_->wake();
}

void HprofPeer::command_done() {
  busy_ = false;
  waker_->wake();
}

void HprofPeer::give_up(std::string_view why) {
  if (!queue_.is_open()) return;
  queue_.close();
  waker_->wake();
  report_("net=" + to_string(address_) + ": " + std::string(why) +
          "; nothing is sent any more, the program goes on");
}

bool HprofPeer::finish(milliseconds stall, milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (queue_.is_open()) {
    if (queue_.wait_for_room(kFinishStep)) return true;
    const auto waiting = queue_.waiting();
    const auto now = Clock::now();
    if (now >= end || (waiting && now - waiting->last_progress > stall)) return false;
  }
  return false;
}

Result<FileDescriptor> HprofPeer::connect() {
  AddressLookup lookup = look_up(address_, waker_);
  for (const auto end = Clock::now() + kLookupLimit; !is_there(lookup);) {
    if (left_until(end) == 0) return Error{"the name is not known"};
    pollfd woken{waker_->fd(), POLLIN, 0};
    (void)::poll(&woken, 1, left_until(end));
    waker_->reset();
  }
  const auto candidates = lookup.get();
  if (!candidates) return candidates.error();
  Error failed{"no address"};
  for (const SocketAddress& candidate : *candidates) {
    auto socket = connect_to(candidate, kConnectLimit);
    if (socket) return socket;
    failed = socket.error();
  }
  return failed;
}

std::optional<Error> HprofPeer::check_access(int fd) {
  if (!is_loopback(address_)) return std::nullopt;
  const auto end = Clock::now() + kAcceptLimit;
  for (;;) {
    auto refused = check_peer(fd, Access::kUser);
    if (!refused || left_until(end) == 0) return refused;
    std::this_thread::sleep_for(kAcceptPause);
  }
}

void HprofPeer::run() {
  auto socket = connect();
  if (!socket) return give_up(socket.message());
  if (auto refused = check_access(socket->get())) return give_up(refused->message);
  serve(socket->get());
}

void HprofPeer::serve(int fd) {
  for (;;) {
    waker_->reset();
    const SendQueue::Drain drained = queue_.drain(fd);
    queue_.take_leftovers();
    if (drained == SendQueue::Drain::kBroken) return give_up("the connection is lost");
    if (!queue_.is_open()) return;
    pass_on_command();
    const bool more = drained == SendQueue::Drain::kMore;
    const int wanted =
        (received_.empty() ? POLLIN : 0) | (drained == SendQueue::Drain::kEmpty ? 0 : POLLOUT);
    // Polled for no event, poll() would return at once, repeatedly, after the connection has ended.
    std::array<pollfd, 2> polled = {pollfd{wanted != 0 ? fd : -1, static_cast<short>(wanted), 0},
                                    pollfd{waker_->fd(), POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), more ? 0 : -1) < 0 && errno != EINTR) {
      return give_up(errno_text(errno));
    }
    if (received_.empty() && polled[0].revents != 0 && !receive(fd)) return;
  }
}

// The answer may be a heap dump, so that several commands at a time could fill the disk.
void HprofPeer::pass_on_command() {
  while (!busy_ && !received_.empty()) {
    const auto unread = queue_.waiting();
    if (unread && unread->memory + unread->stored > kMostUnread) return;
    ByteSpan rest(received_);
    auto command = commands_.read(rest);
    received_.erase(received_.begin(), received_.end() - static_cast<std::ptrdiff_t>(rest.size()));
    if (!command) continue;
    busy_ = true;
    on_command_(std::move(*command));
  }
}

bool HprofPeer::receive(int fd) {
  std::array<std::uint8_t, 4096> buffer;
  const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return true;
  if (got <= 0) {
    give_up("the other end has closed the connection");
    return false;
  }
  received_.assign(buffer.begin(), buffer.begin() + got);
  return true;
}

}  // namespace ddm
