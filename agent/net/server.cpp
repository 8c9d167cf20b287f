#include "net/server.h"

#include "net/io_thread.h"

namespace ddm {
namespace {

// What access=user can never let in deserves a word before anybody wonders.
std::optional<Error> check_access(const ServerOptions& options) {
  if (is_loopback(options.address)) return {};
  const std::string where = to_string(options.address);
  if (options.access == Access::kAny) {
    if (options.log) {
      options.log(Severity::kWarning,
                  "anybody who can reach " + where + " may look into this program and end it");
    }
    return {};
  }
  if (options.connect_out) {
    return Error{"cannot connect to " + where +
                 ": a server on another machine cannot be checked; allow it with access=any"};
  }
  if (options.log) {
    options.log(Severity::kWarning, "listening on " + where +
                                        ", but only this user's processes on this machine may "
                                        "connect; access=any lets everybody in");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Dispatcher& dispatcher,
                                              Executor& executor) {
  std::unique_ptr<Server> server(new Server);
  server->bound_ = options.address;
  if (options.address.kind == Address::Kind::kNone) return server;
  if (auto refused = check_access(options)) return std::move(*refused);

  auto waker = Waker::create();
  if (!waker) return waker.error();
  std::optional<Listener> listener;
  std::optional<Connector> connector;
  if (options.connect_out) {
    auto created = Connector::create(options.address, *waker);
    if (!created) return created.error();
    connector = std::move(*created);
  } else {
    auto opened = Listener::open(options.address);
    if (!opened) return opened.error();
    server->bound_ = opened->bound();
    listener.emplace(std::move(*opened));
  }
  auto context = std::make_shared<const ServerContext>(
      ServerContext{std::move(options), dispatcher, executor, *waker});
  server->loop_ =
      std::make_unique<IoLoop>(std::move(context), std::move(listener), std::move(connector));
  server->thread_ = start_io_thread("ddm-io", [loop = server->loop_.get()] { loop->run(); });
  if (!server->thread_.joinable()) return Error{"no thread could be started for connections"};
  return server;
}

Server::~Server() { stop(); }

void Server::stop() {
  if (!thread_.joinable()) return;
  loop_->stop();
  thread_.join();
}

std::vector<SessionPtr> Server::sessions() const {
  std::vector<SessionPtr> result;
  if (!loop_) return result;
  for (auto& connection : loop_->connections()) {
    if (connection->is_open()) result.push_back(std::move(connection));
  }
  return result;
}

void Server::broadcast(const Chunk& event, const std::function<bool(const Session&)>& wanted) {
  for (const SessionPtr& session : sessions()) {
    if (!wanted || wanted(*session)) session->send_event(event);
  }
}

}  // namespace ddm
