#include "adapters/dyper/documents/dyper_server.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "core/unattached_thread.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kNoDescriptorsPause{100};

int timeout_until(DyperPeer::Clock::time_point deadline) {
  if (deadline == DyperPeer::Clock::time_point::max()) return -1;
  const auto left = deadline - DyperPeer::Clock::now();
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 60'000));
}

}  // namespace

Result<std::unique_ptr<DyperServer>> DyperServer::start(Settings settings) {
  if (auto refused =
          check_access(settings.address, settings.connect_out, settings.access, settings.log)) {
    return std::move(*refused);
  }
  auto waker = Waker::create();
  if (!waker) return waker.error();
  std::unique_ptr<DyperServer> server(new DyperServer(std::move(settings), std::move(*waker)));
  const Address& address = server->settings_.address;
  server->bound_ = address;
  if (server->settings_.connect_out) {
    auto created = Connector::create(address, server->waker_);
    if (!created) return created.error();
    server->connector_ = std::move(*created);
  } else {
    auto opened = Listener::open(address);
    if (!opened) return opened.error();
    server->bound_ = opened->bound();
    server->listener_.emplace(std::move(*opened));
  }
  server->thread_ = start_unattached_thread("ddm-dyper", [self = server.get()] { self->run(); });
  if (!server->thread_.joinable()) return Error{"no thread could be started for connections"};
  return server;
}

DyperServer::~DyperServer() { stop({}); }

void DyperServer::stop(std::string_view farewell) {
  if (!thread_.joinable()) return;
  if (!farewell.empty()) {
    for (const DyperPeerPtr& peer : peers()) peer->send(farewell);
  }
  stopping_ = true;
  waker_->wake();
  thread_.join();
  waker_->close();
}

void DyperServer::broadcast(std::string_view framed) {
  for (const DyperPeerPtr& peer : peers()) {
    if (peer->has_room()) peer->send(framed);
  }
}

bool DyperServer::has_peers() const {
  const std::lock_guard lock(mutex_);
  return !peers_.empty();
}

std::vector<DyperPeerPtr> DyperServer::peers() const {
  const std::lock_guard lock(mutex_);
  return peers_;
}

void DyperServer::log(Severity severity, const std::string& text) const {
  if (settings_.log) settings_.log(severity, text);
}

void DyperServer::run() {
  while (!stopping_) {
    try {
      turn();
    } catch (const std::exception& error) {  // out of memory, most likely
      log(Severity::kWarning, std::string("DYPER connections: ") + error.what());
      poll(nullptr, 0, 5);
    }
  }
  for (const DyperPeerPtr& peer : peers()) {
    peer->write();
    peer->close();
  }
  listener_.reset();
}

void DyperServer::turn() {
  const std::vector<DyperPeerPtr> served = peers();
  const bool accepting = listener_ && Clock::now() >= accept_again_;
  // poll() skips what is negative.
  const int front = accepting ? listener_->fd() : connector_ ? connector_->fd() : -1;
  std::vector<pollfd> polled = {{waker_->fd(), POLLIN, 0},
                                {front, static_cast<short>(accepting ? POLLIN : POLLOUT), 0}};
  for (const DyperPeerPtr& peer : served) {
    const short events = peer->events();
    // Polled for nothing it would tell again and again of a peer that has gone.
    polled.push_back({events != 0 ? peer->fd() : -1, events, 0});
  }
  if (poll(polled.data(), polled.size(), timeout_until(next_deadline())) < 0) return;
  waker_->reset();
  if (stopping_) return;
  for (std::size_t i = 0; i < served.size(); ++i) {
    bool keep = false;
    try {
      keep = serve(served[i], polled[i + 2].revents);
    } catch (const std::exception& error) {
      log(Severity::kWarning, served[i]->name() + " dropped: " + error.what());
    }
    if (!keep) end(served[i]);
  }
  if (accepting && polled[1].revents != 0) accept_all();
  if (connector_) connect_out(polled[1].revents != 0);
}

DyperServer::Clock::time_point DyperServer::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  if (listener_ && accept_again_ > Clock::now()) next = accept_again_;
  if (connector_) next = std::min(next, connector_->due());
  for (const DyperPeerPtr& peer : peers_) next = std::min(next, peer->deadline());
  return next;
}

bool DyperServer::serve(const DyperPeerPtr& peer, short events) {
  if (!peer->checked()) {
    const auto refused = peer->check(settings_.access, settings_.greeting);
    if (refused) log(Severity::kWarning, "DYPER: " + peer->name() + ": " + refused->message);
    return !refused;
  }
  if ((events & POLLIN) != 0) {
    if (!peer->read()) return false;
  } else if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
    return false;
  }
  while (auto document = peer->next()) settings_.on_document(peer, std::move(*document));
  return peer->write();
}

void DyperServer::accept_all() {
  for (;;) {
    FileDescriptor socket(accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        accept_again_ = Clock::now() + kNoDescriptorsPause;
      }
      return;
    }
    if (peers_.size() >= kMostPeers) {
      log(Severity::kInfo, "DYPER: " + peer_name(socket.get()) +
                               " refused: " + std::to_string(peers_.size()) + " connections");
      continue;
    }
    if (const auto unwanted = check_peer(socket.get(), settings_.access)) {
      // Once is news; more would let a stranger fill the program's stderr.
      const bool first = !std::exchange(warned_of_strangers_, true);
      log(first ? Severity::kWarning : Severity::kInfo,
          "DYPER connection from " + peer_name(socket.get()) + " refused: " + unwanted->message);
      continue;
    }
    add(std::move(socket), /*checked=*/true);
  }
}

void DyperServer::connect_out(bool ready) {
  const Clock::time_point now = Clock::now();
  if (ready) {
    FileDescriptor socket = connector_->finish(now);
    if (socket.valid()) add(std::move(socket), /*checked=*/false);
  } else if (const auto unknown = connector_->go_on(now)) {
    log(Severity::kWarning, unknown->message);
  }
}

void DyperServer::add(FileDescriptor socket, bool checked) {
  std::string name = peer_name(socket.get());
  auto peer = std::make_shared<DyperPeer>(std::move(socket), std::move(name), waker_, checked);
  if (checked) peer->check(settings_.access, settings_.greeting);
  const std::lock_guard lock(mutex_);
  peers_.push_back(std::move(peer));
}

void DyperServer::end(const DyperPeerPtr& peer) {
  peer->close();
  {
    const std::lock_guard lock(mutex_);
    std::erase(peers_, peer);
  }
  if (connector_) connector_->connection_lost(Clock::now());
}

}  // namespace ddm
