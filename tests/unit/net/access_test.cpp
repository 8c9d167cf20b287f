// Who may connect. What needs another user runs as root only, with a child of uid 65534.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "temporary_directory.h"
#include "test_server.h"
#include "wire/sockets/peer_check.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr uid_t kNobody = 65534;

struct TcpPair {
  explicit TcpPair(int client_family = AF_INET, const Address& address = {}) {
    auto opened = Listener::open(address);
    REQUIRE(opened);
    listener.emplace(std::move(*opened));
    near = FileDescriptor(socket(client_family, SOCK_STREAM, 0));
    if (client_family == AF_INET6 && address.host != "::1") {
      sockaddr_in6 mapped{};
      mapped.sin6_family = AF_INET6;
      mapped.sin6_port = htons(listener->bound().port);
      REQUIRE(inet_pton(AF_INET6, "::ffff:127.0.0.1", &mapped.sin6_addr) == 1);
      REQUIRE(connect(near.get(), reinterpret_cast<sockaddr*>(&mapped), sizeof mapped) == 0);
    } else {
      const auto names = resolve(listener->bound());
      REQUIRE(connect(near.get(), names->front().raw(), names->front().length) == 0);
    }
    far = FileDescriptor(accept(listener->fd(), nullptr, nullptr));
    REQUIRE(far.valid());
  }
  std::optional<Listener> listener;
  FileDescriptor near;  // the peer
  FileDescriptor far;   // ours
};

ino_t inode_of(const FileDescriptor& socket) {
  struct stat status {};
  REQUIRE(fstat(socket.get(), &status) == 0);
  return status.st_ino;
}

// Exit code of `body`, run by a child as `uid`. The child execs nothing and allocates little.
int in_child_as(uid_t uid, const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(uid) != 0 || setuid(uid) != 0) _exit(99);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What a stranger can do: connect, greet, ask. 0: got nothing; 1: got bytes; 2: no connection.
int try_as_client(const Address& address) {
  const auto names = resolve(address);
  const int fd = socket(names->front().family(), SOCK_STREAM, 0);
  if (connect(fd, names->front().raw(), names->front().length) != 0) return 2;
  const Bytes request = command_packet(1, {kEcho, {}}).flatten();
  send(fd, kHandshake.data(), kHandshake.size(), MSG_NOSIGNAL);
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  char byte = 0;
  return recv(fd, &byte, 1, 0) > 0 ? 1 : 0;
}

}  // namespace

TEST_CASE("Both ways of asking find the very socket at the other end") {
  for (const int family : {AF_INET, AF_INET6}) {
    const TcpPair pair(family);
    for (const auto& ask : {query_sock_diag, search_proc_net}) {
      const auto owner = ask(far_end(pair.far.get()), local_end(pair.far.get()));
      REQUIRE(owner);
      REQUIRE(owner->has_value());
      CHECK((*owner)->uid == geteuid());
      CHECK((*owner)->inode == inode_of(pair.near));
    }
    CHECK_FALSE(check_peer(pair.far.get(), Access::kUser));
  }
}

TEST_CASE("Both ways of asking find the socket at the other end of an IPv6 connection") {
  const Address loopback{Address::Kind::kTcp, "::1", 0, ""};
  if (!Listener::open(loopback)) {
    WARN("no IPv6 here: left out");
    return;
  }
  const TcpPair pair(AF_INET6, loopback);
  for (const auto& ask : {query_sock_diag, search_proc_net}) {
    const auto owner = ask(far_end(pair.far.get()), local_end(pair.far.get()));
    REQUIRE(owner);
    REQUIRE(owner->has_value());
    CHECK((*owner)->inode == inode_of(pair.near));
  }
}

TEST_CASE("A listener or another connection of the port is not taken for the peer") {
  const TcpPair pair;
  SocketAddress nobody = far_end(pair.far.get());
  // Our own listener's port as the peer's port: only the listener would match.
  const SocketAddress listener = local_end(pair.listener->fd());
  for (const auto& ask : {query_sock_diag, search_proc_net}) {
    const auto wrong = ask(listener, nobody);
    // That one exists: it is our own accepted socket. Turned to another port there is none.
    REQUIRE(wrong);
    reinterpret_cast<sockaddr_in*>(&nobody.storage)->sin_port = htons(1);
    const auto none = ask(listener, nobody);
    CHECK((!none.ok() || !none->has_value()));
    nobody = far_end(pair.far.get());
  }
}

TEST_CASE("A peer that closed at once is refused, though it shows as uid 0") {
  TcpPair pair;
  SECTION("closed") { pair.near.reset(); }
  SECTION("reset") {
    const linger hard{1, 0};
    setsockopt(pair.near.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    pair.near.reset();
  }
  SECTION("half closed") { shutdown(pair.near.get(), SHUT_WR); }
  CHECK(check_peer(pair.far.get(), Access::kUser));
  CHECK_FALSE(check_peer(pair.far.get(), Access::kAny));
}

TEST_CASE("What a client sent before it closed is not acted on") {
  TestServer server;
  std::atomic<int> handled{0};
  server.dispatcher().add(chunk_type("BOOM"), Lane::kInline, [&](const Request&, Reply reply) {
    ++handled;
    reply.send_empty();
  });
  Bytes stream(kHandshake.begin(), kHandshake.end());
  const Bytes request = command_packet(1, {chunk_type("BOOM"), {}}).flatten();
  stream.insert(stream.end(), request.begin(), request.end());
  // All in the backlog before the server accepts any: it is busy with an inline handler.
  std::atomic<bool> busy{false};
  std::atomic<bool> go{false};
  server.dispatcher().add(chunk_type("HOLD"), Lane::kInline, [&](const Request&, Reply reply) {
    busy = true;
    while (!go) std::this_thread::yield();
    reply.send_empty();
  });
  TestClient holder(server.address());
  REQUIRE(holder.shake_hands());
  REQUIRE(holder.send_request(1, {chunk_type("HOLD"), {}}));
  REQUIRE(eventually([&] { return busy.load(); }));
  for (int i = 0; i < 50; ++i) {
    TestClient client(server.address());
    REQUIRE(client.send(stream));
  }
  go = true;
  REQUIRE(holder.read_reply());
  TestClient last(server.address());
  REQUIRE(last.shake_hands());  // so all before it have been accepted
  CHECK(handled == 0);
}

TEST_CASE("Outside of user namespaces every uid has a number, inside it has not") {
  CHECK(maps_every_uid("         0          0 4294967295\n"));
  for (const char* map :
       {"", "\n", "         0       1000          1\n", "         0     100000      65536\n",
        "0 0 65536\n", "1 1 4294967295\n", "     65534      65534          1\n", "nonsense"}) {
    CHECK_FALSE(maps_every_uid(map));
  }
}

TEST_CASE("The overflow uid is nobody's where not every uid has a number") {
  const UidView host_nobody{.ours = kNobody, .overflow = kNobody, .all_mapped = true};
  CHECK_FALSE(check_uid(kNobody, host_nobody));
  CHECK_FALSE(check_uid(0, host_nobody));
  CHECK(check_uid(33, host_nobody));

  const UidView inside_nobody{.ours = kNobody, .overflow = kNobody, .all_mapped = false};
  CHECK(check_uid(kNobody, inside_nobody)->message.find("user namespace") != std::string::npos);
  CHECK_FALSE(check_uid(0, inside_nobody));  // root of the namespace

  const UidView inside_user{.ours = 1000, .overflow = kNobody, .all_mapped = false};
  CHECK_FALSE(check_uid(1000, inside_user));
  CHECK(check_uid(kNobody, inside_user));

  const UidView odd_system{.ours = 1000, .overflow = 1000, .all_mapped = false};
  CHECK(check_uid(1000, odd_system));
}

TEST_CASE("Strangers are refused by nobody's program in a user namespace") {
  if (geteuid() != 0) {
    WARN("not root: left out");
    return;
  }
  // The child is the program: it shares our network, but its user namespace knows 0 and 65534 only.
  int told[2];
  int mapped[2];
  REQUIRE(pipe(told) == 0);
  REQUIRE(pipe(mapped) == 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    if (unshare(CLONE_NEWUSER) != 0) byte = 'x';
    std::uint16_t port = 0;
    if (write(told[1], &byte, 1) != 1 || byte != 0 || read(mapped[0], &byte, 1) != 1) _exit(50);
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(99);
    auto listener = Listener::open({});
    if (!listener) _exit(98);
    port = listener->bound().port;
    if (write(told[1], &port, sizeof port) != sizeof port) _exit(97);
    int let_in = 0;
    for (int i = 0; i < 2; ++i) {
      pollfd ready{listener->fd(), POLLIN, 0};
      poll(&ready, 1, 10'000);
      const FileDescriptor fd(accept(listener->fd(), nullptr, nullptr));
      if (!check_peer(fd.get(), Access::kUser)) ++let_in;
    }
    _exit(let_in);
  }
  char refused = 0;
  REQUIRE(read(told[0], &refused, 1) == 1);
  const std::string proc = "/proc/" + std::to_string(child);
  const bool made = refused == 0 &&
                    (std::ofstream(proc + "/uid_map") << "0 0 1\n65534 65534 1\n").flush().good() &&
                    (std::ofstream(proc + "/gid_map") << "0 0 1\n65534 65534 1\n").flush().good();
  if (!made) {
    WARN("no user namespaces here: left out");
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return;
  }
  REQUIRE(write(mapped[1], "", 1) == 1);
  Address address;
  REQUIRE(read(told[0], &address.port, sizeof address.port) == sizeof address.port);
  for (const uid_t stranger : {uid_t{1}, uid_t{33}}) {
    const int outcome = in_child_as(stranger, [&] {
      const auto names = resolve(address);
      const FileDescriptor fd(socket(AF_INET, SOCK_STREAM, 0));
      if (connect(fd.get(), names->front().raw(), names->front().length) != 0) return 2;
      char byte = 0;
      return recv(fd.get(), &byte, 1, 0) < 0 ? 1 : 0;  // until it is closed
    });
    CHECK(outcome == 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  for (const int fd : {told[0], told[1], mapped[0], mapped[1]}) close(fd);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("A Unix peer of our own is let in") {
  int fds[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0);
  const FileDescriptor one(fds[0]);
  const FileDescriptor other(fds[1]);
  CHECK_FALSE(check_peer(one.get(), Access::kUser));
}

TEST_CASE("Another user is refused on a port and let in only with access=any") {
  if (geteuid() != 0) {
    WARN("not root: left out");
    return;
  }
  SECTION("user") {
    TestServer server;
    CHECK(in_child_as(kNobody, [&] { return try_as_client(server.address()); }) == 0);
    CHECK(in_child_as(0, [&] { return try_as_client(server.address()); }) == 1);
    CHECK(server.log().find("uid 65534") != std::string::npos);
  }
  SECTION("any") {
    ServerOptions options;
    options.access = Access::kAny;
    TestServer server(options);
    CHECK(in_child_as(kNobody, [&] { return try_as_client(server.address()); }) == 1);
  }
}

TEST_CASE("Another user is refused on a Unix socket, even one whose mode was opened") {
  if (geteuid() != 0) {
    WARN("not root: left out");
    return;
  }
  const TemporaryDirectory directory;
  REQUIRE(chmod(directory.path().c_str(), 0755) == 0);
  const std::string path = directory / "socket";
  ServerOptions options;
  options.address = {Address::Kind::kUnix, "", 0, path};
  TestServer server(options);
  CHECK(in_child_as(kNobody, [&] { return try_as_client(server.address()); }) == 2);
  REQUIRE(chmod(path.c_str(), 0666) == 0);
  CHECK(in_child_as(kNobody, [&] { return try_as_client(server.address()); }) == 0);
}

TEST_CASE("Root is let in by a program that is not root's") {
  if (geteuid() != 0) {
    WARN("not root: left out");
    return;
  }
  // The child is the program, a user's; this process, root, is the client.
  int ports[2];
  REQUIRE(pipe(ports) == 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(kNobody) != 0 || setuid(kNobody) != 0) _exit(99);
    auto listener = Listener::open({});
    if (!listener) _exit(98);
    const std::uint16_t port = listener->bound().port;
    if (write(ports[1], &port, sizeof port) != sizeof port) _exit(97);
    pollfd ready{listener->fd(), POLLIN, 0};
    poll(&ready, 1, 10'000);
    const int fd = accept(listener->fd(), nullptr, nullptr);
    _exit(check_peer(fd, Access::kUser) ? 1 : 0);
  }
  Address address;
  REQUIRE(read(ports[0], &address.port, sizeof address.port) == sizeof address.port);
  close(ports[0]);
  close(ports[1]);
  TestClient client(address);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
