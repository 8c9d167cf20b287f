#include "wire/sessions/server.h"

#include "wire/sessions/connection.h"

namespace ddm {
namespace {

DoorSettings door_of(const std::shared_ptr<const ServerContext>& context) {
  const ServerOptions& options = context->options;
  DoorSettings door;
  door.address = options.address;
  door.connect_out = options.connect_out;
  door.access = options.access;
  door.max_peers = options.limits.max_sessions;
  door.max_memory = options.limits.max_memory;
  door.max_stored = options.limits.max_stored;
  door.log = options.log;
  door.on_refused_peer = context->on_refused_peer;
  door.make_peer = [context, last_id = std::uint64_t{0}](FileDescriptor socket, std::string name,
                                                         bool checked) mutable -> PeerPtr {
    return std::make_shared<Connection>(context, ++last_id, std::move(socket), std::move(name),
                                        checked);
  };
  return door;
}

}  // namespace

Result<std::unique_ptr<Server>> Server::bind(ServerOptions options, Dispatcher& dispatcher,
                                             Executor& executor, std::shared_ptr<IoLoop> loop) {
  const OnRefusedPeer on_refused_peer = warn_of_first_refusal(options.log);
  const std::shared_ptr<const ServerContext> context(
      new ServerContext{std::move(options), dispatcher, executor, loop->waker(), on_refused_peer});
  auto door = Door::open(door_of(context), loop->waker());
  if (!door) return door.error();
  return std::unique_ptr<Server>(new Server(std::move(loop), std::move(*door)));
}

std::vector<SessionPtr> Server::sessions() const {
  std::vector<SessionPtr> result;
  for (const PeerPtr& peer : door_->peers()) {
    auto connection = std::static_pointer_cast<Connection>(peer);
    if (connection->is_open()) result.push_back(std::move(connection));
  }
  return result;
}

void Server::broadcast(const Chunk& event) {
  for (const SessionPtr& session : sessions()) session->send_event(event);
}

}  // namespace ddm
