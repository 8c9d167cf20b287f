#include "wire/sessions/door.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <utility>

#include "wire/sockets/socket_address.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kNoDescriptorsPause{100};

// The error: peers at that address cannot be checked.
std::optional<Error> check_access(const DoorSettings& settings) {
  if (is_loopback(settings.address) || settings.access == Access::kAny || !settings.connect_out) {
    return {};
  }
  return Error{"cannot connect to " + to_string(settings.address) +
               ": a server on another machine cannot be checked; allow it with access=any"};
}

// Warns where everybody, or nobody, is let in.
void warn_of_access(const DoorSettings& settings) {
  if (is_loopback(settings.address)) return;
  const std::string where = to_string(settings.address);
  const bool any = settings.access == Access::kAny;
  const std::string warning =
      any ? "anybody who can reach " + where + " may look into this program and end it"
          : "listening on " + where +
                ", but only this user's processes on this machine may connect; access=any lets "
                "everybody in";
  if (settings.log) settings.log(LogLevel::kWarn, warning);
}

// "127.0.0.1:40123", "a local process".
std::string peer_name(int fd) {
  const Address address = to_address(far_end(fd));
  return address.kind == Address::Kind::kTcp ? to_string(address) : "a local process";
}

// Keep-alive notices eventually that a peer has vanished.
void tune_socket(int fd) {
  if (local_end(fd).family() == AF_UNIX) return;
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
}

}  // namespace

OnRefusedPeer warn_of_first_refusal(Log log) {
  return [log = std::move(log),
          warned = std::make_shared<std::atomic<bool>>(false)](const std::string& text) {
    if (log) log(warned->exchange(true) ? LogLevel::kInfo : LogLevel::kWarn, text);
  };
}

Result<std::shared_ptr<Door>> Door::open(DoorSettings settings, std::shared_ptr<Waker> waker) {
  if (auto refused = check_access(settings)) return std::move(*refused);
  const Address address = settings.address;
  std::shared_ptr<Door> door(new Door(std::move(settings), address));
  if (door->settings_.connect_out) {
    auto created = Connector::create(address, std::move(waker));
    if (!created) return created.error();
    door->connector_ = std::move(*created);
  } else {
    auto opened = Listener::open(address);
    if (!opened) return opened.error();
    door->bound_ = opened->bound();
    door->listener_.emplace(std::move(*opened));
  }
  warn_of_access(door->settings_);
  return door;
}

std::vector<PeerPtr> Door::peers() const {
  const std::lock_guard lock(mutex_);
  return peers_;
}

void Door::log(LogLevel severity, const std::string& text) const {
  if (settings_.log) settings_.log(severity, text);
}

void Door::add_polled(std::vector<pollfd>& polled) {
  served_ = peers();
  pollfd front{-1, 0, 0};  // poll() ignores a negative descriptor
  if (listener_ && Clock::now() >= accept_again_) front = {listener_->fd(), POLLIN, 0};
  if (connector_) front = {connector_->fd(), POLLOUT, 0};
  polled.push_back(front);
  for (const PeerPtr& peer : served_) polled.push_back(peer->polled());
}

Clock::time_point Door::deadline() const {
  Clock::time_point next = Clock::time_point::max();
  if (listener_ && accept_again_ > Clock::now()) next = accept_again_;
  if (connector_) next = std::min(next, connector_->due());
  for (const PeerPtr& peer : peers_) next = std::min(next, peer->deadline());
  return next;
}

void Door::turn(const pollfd* polled, Clock::time_point now) {
  const bool front_is_ready = polled->revents != 0;
  for (const PeerPtr& peer : std::exchange(served_, {})) {
    bool keep = false;
    try {
      const short events = (++polled)->revents;
      const bool readable = (events & POLLIN) != 0;
      const bool gone = !readable && (events & (POLLHUP | POLLERR | POLLNVAL)) != 0;
      keep = !gone && (!readable || peer->read()) && peer->serve(now);
      peer->weigh(now);
    } catch (const std::exception& error) {
      log(LogLevel::kWarn, peer->name() + " dropped: " + error.what());
    }
    if (!keep) end(peer);
  }
  shed();
  if (listener_ && front_is_ready) accept_all();
  if (connector_) connect_out(front_is_ready);
}

void Door::shed() {
  std::size_t memory = 0;
  std::size_t stored = 0;
  for (const PeerPtr& peer : peers_) {
    const Peer::Burden burden = peer->burden();
    memory += burden.memory;
    stored += burden.stored;
  }
  if (memory <= settings_.max_memory && stored <= settings_.max_stored) return;
  // Of the peers that hold at least a fair share of the excess resource, the longest burden.
  PeerPtr worst;
  for (const PeerPtr& peer : peers_) {
    const Peer::Burden burden = peer->burden();
    const bool takes_part = memory > settings_.max_memory
                                ? burden.memory >= memory / settings_.max_peers
                                : burden.stored >= stored / settings_.max_peers;
    if (takes_part && (!worst || peer->burden_since() < worst->burden_since())) worst = peer;
  }
  if (!worst) return;
  log(LogLevel::kInfo, worst->name() + " makes the agent hold too much; dropped: " +
                           std::to_string((memory + stored) >> 20) + " MiB for all connections");
  end(worst);
  shed();
}

void Door::accept_all() {
  while (true) {
    FileDescriptor socket(accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The connection stays in the backlog; retrying at once would only burn CPU.
        accept_again_ = Clock::now() + kNoDescriptorsPause;
      }
      if (errno != EINTR && errno != ECONNABORTED) return;
      continue;
    }
    const std::string name = peer_name(socket.get());
    if (peers_.size() >= settings_.max_peers) {
      log(LogLevel::kInfo, settings_.what + " from " + name + " refused: there are " +
                               std::to_string(peers_.size()) + " already");
      continue;
    }
    if (const auto unwanted = check_peer(socket.get(), settings_.access)) {
      settings_.on_refused_peer(settings_.what + " from " + name +
                                " refused: " + unwanted->message);
      continue;
    }
    add(std::move(socket), /*checked=*/true);
  }
}

void Door::connect_out(bool ready) {
  const Clock::time_point now = Clock::now();
  if (ready) {
    FileDescriptor socket = connector_->finish(now);
    if (socket.valid()) add(std::move(socket), /*checked=*/false);
  } else if (const auto failed = connector_->go_on(now)) {
    log(LogLevel::kError, failed->message);
  }
}

void Door::add(FileDescriptor socket, bool checked) {
  tune_socket(socket.get());
  std::string name = peer_name(socket.get());
  PeerPtr peer = settings_.make_peer(std::move(socket), std::move(name), checked);
  const std::lock_guard lock(mutex_);
  peers_.push_back(std::move(peer));
}

void Door::end(const PeerPtr& peer) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(peers_, peer);
  }
  peer->end(/*notify=*/true);
  if (connector_) connector_->pause(Clock::now());
}

void Door::close() {
  for (const PeerPtr& peer : peers()) {
    peer->flush();
    peer->end(/*notify=*/false);
  }
  const std::lock_guard lock(mutex_);
  peers_.clear();
  listener_.reset();
  connector_.reset();
}

}  // namespace ddm
