#include "wire/sessions/io_loop.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <exception>

#include "wire/sessions/access_rules.h"
#include "wire/sockets/peer_check.h"

namespace ddm {
namespace {

constexpr std::chrono::milliseconds kNoDescriptorsPause{100};

// Places in the list of polled descriptors, behind the waker.
constexpr std::size_t kFrontAt = 1;  // listener or connector
constexpr std::size_t kConnectionsAt = 2;

int poll_timeout(Clock::time_point deadline) {
  if (deadline == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

}  // namespace

IoLoop::IoLoop(std::shared_ptr<const ServerContext> context, std::optional<Listener> listener,
               std::optional<Connector> connector)
    : context_(std::move(context)),
      listener_(std::move(listener)),
      connector_(std::move(connector)) {}

void IoLoop::stop() {
  stopping_ = true;
  context_->waker->wake();
}

std::vector<std::shared_ptr<Connection>> IoLoop::connections() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> result;
  result.reserve(connections_.size());
  for (const auto& [id, connection] : connections_) result.push_back(connection);
  return result;
}

void IoLoop::run() {
  while (!stopping_) {
    try {
      turn();
    } catch (const std::exception& error) {
      // Out of memory, most likely. The connections are in good order; go on with the next turn.
      context_->log(Severity::kWarning, std::string("connections: ") + error.what());
      poll(nullptr, 0, 5);
    }
  }
  for (const auto& connection : connections()) {
    connection->on_wakeup(Clock::now());
    connection->end(/*tell=*/false);
  }
  listener_.reset();
}

void IoLoop::turn() {
  const std::vector<std::shared_ptr<Connection>> served = connections();
  const bool accepting = listener_ && Clock::now() >= accept_again_;
  polled_.clear();
  polled_.push_back({context_->waker->fd(), POLLIN, 0});
  polled_.push_back({-1, 0, 0});  // poll() skips a negative one
  if (accepting) polled_[kFrontAt] = {listener_->fd(), POLLIN, 0};
  if (connector_) polled_[kFrontAt] = {connector_->fd(), POLLOUT, 0};
  for (const auto& connection : served) {
    const int events =
        (connection->wants_read() ? POLLIN : 0) | (connection->wants_write() ? POLLOUT : 0);
    polled_.push_back({connection->fd(), static_cast<short>(events), 0});
  }
  if (poll(polled_.data(), polled_.size(), poll_timeout(next_deadline())) < 0) return;
  context_->waker->reset();
  if (stopping_) return;

  const Clock::time_point now = Clock::now();
  for (std::size_t i = 0; i < served.size(); ++i) {
    bool keep = false;
    try {
      keep = serve(*served[i], polled_[kConnectionsAt + i].revents, now);
    } catch (const std::exception& error) {
      context_->log(Severity::kWarning, served[i]->peer() + " dropped: " + error.what());
    }
    if (!keep) end(served[i]);
  }
  shed();
  if (accepting && polled_[kFrontAt].revents != 0) accept_all();
  if (connector_) connect_out(polled_[kFrontAt].revents != 0);
}

bool IoLoop::serve(Connection& connection, short events, Clock::time_point now) {
  if ((events & POLLIN) != 0) {
    if (!connection.on_readable()) return false;
  } else if ((events & (POLLHUP | POLLERR | POLLNVAL)) != 0) {
    return false;
  }
  return connection.on_wakeup(now) && connection.on_deadline(now);
}

void IoLoop::shed() {
  const ServerLimits& limits = context_->options.limits;
  std::size_t memory = 0;
  std::size_t stored = 0;
  for (const auto& [id, connection] : connections_) {
    const Connection::Burden burden = connection->burden();
    memory += burden.memory;
    stored += burden.stored;
  }
  if (memory <= limits.max_memory && stored <= limits.max_stored) return;
  // Who has a fair share of what is too much, and for the longest time.
  std::shared_ptr<Connection> worst;
  for (const auto& [id, connection] : connections_) {
    const Connection::Burden burden = connection->burden();
    const bool takes_part = memory > limits.max_memory
                                ? burden.memory >= memory / limits.max_sessions
                                : burden.stored >= stored / limits.max_sessions;
    if (takes_part && (!worst || burden.since < worst->burden().since)) worst = connection;
  }
  if (!worst) return;
  context_->log(Severity::kInfo, worst->peer() + " makes the agent hold too much; dropped: " +
                                     std::to_string((memory + stored) >> 20) +
                                     " MiB for all connections");
  end(worst);
  shed();
}

Clock::time_point IoLoop::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  if (listener_ && accept_again_ > Clock::now()) next = accept_again_;
  if (connector_) next = std::min(next, connector_->due());
  for (const auto& [id, connection] : connections_) next = std::min(next, connection->deadline());
  return next;
}

void IoLoop::accept_all() {
  while (true) {
    FileDescriptor socket(accept4(listener_->fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.valid()) {
      if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
        // The connection stays in the backlog; asking again at once would only burn time.
        accept_again_ = Clock::now() + kNoDescriptorsPause;
      }
      if (errno != EINTR && errno != ECONNABORTED) return;
      continue;
    }
    if (connections_.size() >= context_->options.limits.max_sessions) {
      context_->log(Severity::kInfo, peer_name(socket.get()) + " refused: " +
                                         std::to_string(connections_.size()) + " connections");
      continue;
    }
    if (const auto unwanted = check_peer(socket.get(), context_->options.access)) {
      context_->log_stranger("connection from " + peer_name(socket.get()) +
                             " refused: " + unwanted->message);
      continue;
    }
    add(std::move(socket), /*checked=*/true);
  }
}

void IoLoop::connect_out(bool ready) {
  const Clock::time_point now = Clock::now();
  if (ready) {
    FileDescriptor socket = connector_->finish(now);
    if (socket.valid()) add(std::move(socket), /*checked=*/false);
  } else if (const auto failed = connector_->go_on(now)) {
    context_->log(Severity::kWarning, failed->message);
  }
}

void IoLoop::add(FileDescriptor socket, bool checked) {
  tune_socket(socket.get());
  std::string peer = peer_name(socket.get());
  auto connection = std::make_shared<Connection>(context_, ++last_id_, std::move(socket),
                                                 std::move(peer), checked);
  const std::lock_guard lock(mutex_);
  connections_.emplace(last_id_, std::move(connection));
}

void IoLoop::end(const std::shared_ptr<Connection>& connection) {
  {
    const std::lock_guard lock(mutex_);
    connections_.erase(connection->id());
  }
  connection->end(/*tell=*/true);
  if (connector_) connector_->connection_lost(Clock::now());
}

}  // namespace ddm
