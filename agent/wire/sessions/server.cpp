#include "wire/sessions/server.h"

#include "core/unattached_thread.h"
#include "wire/sessions/access_rules.h"

namespace ddm {

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, Dispatcher& dispatcher,
                                              Executor& executor) {
  std::unique_ptr<Server> server(new Server);
  server->bound_ = options.address;
  if (options.address.kind == Address::Kind::kNone) return server;
  if (auto refused =
          check_access(options.address, options.connect_out, options.access, options.log)) {
    return std::move(*refused);
  }

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
  server->thread_ =
      start_unattached_thread("ddm-io", [loop = server->loop_.get()] { loop->run(); });
  if (!server->thread_.joinable()) return Error{"no thread could be started for connections"};
  return server;
}

Server::~Server() { stop(); }

void Server::stop() {
  if (!thread_.joinable()) return;
  loop_->stop();
  thread_.join();
  loop_->waker().close();
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
