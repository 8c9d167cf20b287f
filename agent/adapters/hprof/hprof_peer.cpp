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
#include "wire/sockets/connect.h"
#include "wire/sockets/peer_check.h"
#include "wire/sockets/socket_address.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kConnectLimit{5000};
// The kernel knows a connection's owner once the server has accepted it.
constexpr milliseconds kAcceptLimit{5000}, kAcceptPause{20};
constexpr milliseconds kFinishStep{50};

// The address that was asked for does not say it: any name may lead to a loopback address.
std::optional<Error> check_access(int fd) {
  if (!is_loopback(to_address(far_end(fd)))) return std::nullopt;
  const auto end = Clock::now() + kAcceptLimit;
  for (;;) {
    auto refused = check_peer(fd, Access::kUser);
    if (!refused || Clock::now() >= end) return refused;
    std::this_thread::sleep_for(kAcceptPause);
  }
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
  if (!thread.joinable()) return Error{"no thread could be started for it"};
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
  end_with("net=" + to_string(address_) + ": " + std::string(why));
}

void HprofPeer::end_with(const std::string& reason) {
  if (!queue_.is_open()) return;
  queue_.close();
  waker_->wake();
  report_(reason + "; nothing is sent any more, the program goes on");
}

bool HprofPeer::finish(milliseconds stall, milliseconds limit) {
  const auto end = Clock::now() + limit;
  while (queue_.is_open()) {
    if (queue_.wait_for_room(kFinishStep)) {
      // Whether who sends no more still reads shows only when it has been sent something.
      if (ended_) std::this_thread::sleep_for(kFinishStep);
      return queue_.is_open();
    }
    const auto waiting = queue_.waiting();
    const auto now = Clock::now();
    if (now >= end || (waiting && now - waiting->last_progress > stall)) return false;
  }
  return false;
}

void HprofPeer::run() {
  auto socket = connect_to(address_, kConnectLimit);  // nobody waits for this thread
  if (!socket) return end_with(socket.message());     // which names the address
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
    const bool reads = received_.empty();
    const int wanted =
        (reads && !ended_ ? POLLIN : 0) | (drained == SendQueue::Drain::kEmpty ? 0 : POLLOUT);
    // Polled for no event while a command is kept back, poll() would return at once, repeatedly,
    // after the connection has ended.
    std::array<pollfd, 2> polled = {
        pollfd{reads || wanted != 0 ? fd : -1, static_cast<short>(wanted), 0},
        pollfd{waker_->fd(), POLLIN, 0}};
    if (::poll(polled.data(), polled.size(), more ? 0 : -1) < 0 && errno != EINTR) {
      return give_up(errno_text(errno));
    }
    if (reads && !receive(fd, polled[0].revents)) return;
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

// Who sends no more may still read: such a connection ends when it is reset.
bool HprofPeer::receive(int fd, short events) {
  std::array<std::uint8_t, 4096> buffer;
  if (!ended_ && events != 0) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
    ended_ = got == 0;
    if (got > 0) received_.assign(buffer.begin(), buffer.begin() + got);
    if (got >= 0 || errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return true;
  } else if ((events & (POLLERR | POLLHUP | POLLNVAL)) == 0) {
    return true;
  }
  give_up("the other end has closed the connection");
  return false;
}

}  // namespace ddm
