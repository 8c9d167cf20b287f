#include "wire/sessions/debugger_relay.h"

#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>

#include "silent_resolver.h"
#include "test_server.h"
#include "wire/sessions/address_lookup.h"
#include "wire/sockets/connect.h"
#include "wire/sockets/listener.h"

namespace ddm {
namespace {

Bytes command(std::uint8_t id, std::uint8_t set, std::uint8_t number) {
  return {0, 0, 0, 11, 0, 0, 0, id, 0, set, number};
}

Bytes empty_reply(std::uint8_t id) { return {0, 0, 0, 11, 0, 0, 0, id, kFlagReply, 0, 0}; }

// What the jdwp agent of a VM does, by hand.
class Backend {
 public:
  Backend() : listener_(std::move(*Listener::open(*parse_address("127.0.0.1:0")))) {}

  Address address() const { return listener_.bound(); }

  // Takes one debugger and shakes hands.
  bool accept() {
    pollfd polled{listener_.fd(), POLLIN, 0};
    if (poll(&polled, 1, 10'000) != 1) return false;
    socket_ = FileDescriptor(::accept(listener_.fd(), nullptr, nullptr));
    const timeval patience{10, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const Bytes greeting = read(kHandshake.size());
    return write(greeting) && greeting.size() == kHandshake.size();
  }
  Bytes read(std::size_t size) {
    Bytes all(size);
    std::size_t have = 0;
    while (have < size) {
      const ssize_t got = recv(socket_.get(), all.data() + have, size - have, 0);
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    all.resize(have);
    return all;
  }
  bool write(const Bytes& bytes) {
    return send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  bool at_end() { return read(1).empty(); }
  void close() { socket_.reset(); }

 private:
  Listener listener_;
  FileDescriptor socket_;
};

DebuggerRelay::Find always(const Address& address, Access access = Access::kUser) {
  return [=](const auto&) {
    return at_once<Result<DebuggerRelay::Backend>>(DebuggerRelay::Backend{{address}, access});
  };
}

void no_log(LogLevel, const std::string&) {}

ServerOptions with(DebuggerRelay& relay) {
  ServerOptions options;
  options.debugger = &relay;
  return options;
}

}  // namespace

TEST_CASE("A debugger's commands reach the back end, and its packets come back among DDM's") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  // Two at once: the second one must not overtake, or get lost while the link is being made.
  Bytes both = command(1, 1, 7);
  for (const std::uint8_t byte : command(2, 1, 4)) both.push_back(byte);
  REQUIRE(client.send(both));
  REQUIRE(backend.accept());
  CHECK(backend.read(22) == both);
  const Bytes event{0, 0, 0, 13, 0, 0, 0, 9, 0, 64, 100, 1, 2};
  REQUIRE(backend.write(event));
  CHECK(client.read(13) == event);
  CHECK(client.request(3, {kQuick, {1, 2}})->header.id == 3);
  REQUIRE(backend.write(empty_reply(1)));
  REQUIRE(backend.write(empty_reply(2)));
  CHECK(client.read(11) == empty_reply(1));
  CHECK(client.read(11) == empty_reply(2));
  client.close();
  CHECK(backend.at_end());
}

TEST_CASE("Without a jdwp agent every command gets error 99, until there is one") {
  Backend backend;
  std::atomic<bool> there{false};
  DebuggerRelay relay(
      [&](const auto&) {
        using Answer = Result<DebuggerRelay::Backend>;
        return at_once(there ? Answer(DebuggerRelay::Backend{{backend.address()}})
                             : Answer(Error{"none"}));
      },
      no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (std::uint8_t id = 1; id < 20; ++id) {
    REQUIRE(client.send(command(id, 1, 1)));
    const auto reply = client.read_reply();
    REQUIRE(reply);
    CHECK((reply->header.id == id && reply->header.error() == kErrorNotImplemented));
  }
  there = true;
  REQUIRE(client.send(command(20, 1, 1)));
  REQUIRE(backend.accept());
  CHECK(backend.read(11) == command(20, 1, 1));
}

TEST_CASE("A back end that does not answer the handshake is no back end") {
  auto deaf = Listener::open(*parse_address("127.0.0.1:0"));
  REQUIRE(deaf);
  DebuggerRelay relay(always(deaf->bound()), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  CHECK(client.request(2, {kEcho, {}})->header.id == 2);  // nobody waits for it
  CHECK(client.read_reply()->header.error() == kErrorNotImplemented);
}

TEST_CASE("There is one debugger at a time, and the next one when it has gone") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  TestClient second(server.address());
  REQUIRE(second.shake_hands());
  {
    TestClient first(server.address());
    REQUIRE(first.shake_hands());
    REQUIRE(first.send(command(1, 1, 1)));
    REQUIRE(backend.accept());
    REQUIRE(second.send(command(2, 1, 1)));
    CHECK(second.read_reply()->header.error() == kErrorNotImplemented);
    CHECK(backend.read(11) == command(1, 1, 1));
  }
  CHECK(backend.at_end());
  REQUIRE(second.send(command(3, 1, 1)));
  REQUIRE(backend.accept());
  CHECK(backend.read(11) == command(3, 1, 1));
}

TEST_CASE("A session whose debugger has gone goes on, and may have another one") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  const ChunkType gone = chunk_type("DBGD");
  server.dispatcher().add(gone, Lane::kInline, [&](const Request& request, Reply reply) {
    relay.detach(request.session);
    reply.send_empty();
  });
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (std::uint8_t round = 1; round < 20; ++round) {
    REQUIRE(client.send(command(round, 1, 1)));
    REQUIRE(backend.accept());
    CHECK(backend.read(11) == command(round, 1, 1));
    CHECK(client.request(100, {gone, {}})->header.id == 100);
    CHECK(backend.at_end());
  }
}

TEST_CASE("A back end that ends without being asked to takes the debugger's connection along") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  REQUIRE(backend.accept());
  CHECK(backend.read(11) == command(1, 1, 1));
  SECTION("unasked") {
    backend.close();
    CHECK(client.at_end());
  }
  SECTION("after VirtualMachine.Dispose the session stays") {
    REQUIRE(client.send(command(2, 1, 6)));
    CHECK(backend.read(11) == command(2, 1, 6));
    REQUIRE(backend.write(empty_reply(2)));
    backend.close();
    CHECK(client.read(11) == empty_reply(2));
    CHECK(client.request(3, {kEcho, {}})->header.id == 3);
  }
}

TEST_CASE("A command right behind a Dispose is the next debugger's") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  Bytes both = command(1, 1, 6);
  for (const std::uint8_t byte : command(2, 1, 1)) both.push_back(byte);
  REQUIRE(client.send(both));
  REQUIRE(backend.accept());
  REQUIRE(backend.read(11) == command(1, 1, 6));
  REQUIRE(backend.write(empty_reply(1)));
  backend.close();
  CHECK(client.read(11) == empty_reply(1));
  REQUIRE(backend.accept());
  CHECK(backend.read(11) == command(2, 1, 1));
  REQUIRE(backend.write(empty_reply(2)));
  CHECK(client.read(11) == empty_reply(2));
  CHECK(client.request(3, {kEcho, {}})->header.id == 3);
}

TEST_CASE("A debugger that does not read makes its back end wait, and is not dropped") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  ServerOptions options = with(relay);
  options.limits.max_queue = std::size_t{1} << 20;
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  REQUIRE(backend.accept());
  Bytes event(100'000, 5);
  const Bytes head{0, 1, 0x86, 0xa0, 0, 0, 0, 9, 0, 64, 100};
  std::copy(head.begin(), head.end(), event.begin());
  constexpr int kEvents = 300;  // 30 MB, far beyond what the queue and the sockets hold
  std::thread writer([&] {
    for (int i = 0; i < kEvents; ++i) backend.write(event);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  int received = 0;
  while (received < kEvents && client.read(event.size()) == event) ++received;
  CHECK(received == kEvents);
  writer.join();
}

TEST_CASE("A session with a debugger is read on however many requests are unanswered") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  ServerOptions options = with(relay);
  options.limits.max_requests = 8;
  TestServer server(options);
  std::vector<Reply> kept;  // as lanes whose threads a debugger has suspended
  std::mutex mutex;
  const ChunkType stuck = chunk_type("STUK");
  server.dispatcher().add(stuck, Lane::kInline, [&](const Request&, Reply reply) {
    const std::lock_guard lock(mutex);
    kept.push_back(std::move(reply));
  });
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  REQUIRE(backend.accept());
  for (std::uint32_t id = 100; id < 120; ++id) REQUIRE(client.send_request(id, {stuck, {}}));
  const Bytes resume = command(2, 1, 9);
  REQUIRE(client.send(resume));
  CHECK(backend.read(22).size() == 22);
  for (int i = 0; i < 12; ++i) {
    const auto reply = client.read_reply();
    REQUIRE(reply);
    CHECK(chunks_of(*reply).front().type == Fail::kType);
  }
  for (Reply& reply : kept) reply.send_empty();
  for (int i = 0; i < 8; ++i) CHECK(client.read_reply());
}

TEST_CASE("Stopping the relay ends its link") {
  Backend backend;
  DebuggerRelay relay(always(backend.address()), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  REQUIRE(backend.accept());
  relay.stop();
  CHECK(backend.read(11).size() <= 11);
  CHECK(backend.at_end());
  REQUIRE(client.send(command(2, 1, 1)));
  CHECK(client.read_reply()->header.error() == kErrorNotImplemented);
}

TEST_CASE("Stopping the relay waits for no name server") {
  std::optional<SilentResolver> silent(std::in_place);
  DebuggerRelay relay(always({Address::Kind::kTcp, kLoopbackName, 5005, ""}), no_log);
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  REQUIRE(SilentResolver::wait_until_asked());
  const auto stopping = std::async(std::launch::async, [&] { relay.stop(); });
  CHECK(stopping.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
  silent.reset();
}

TEST_CASE("Stopping the relay waits for no back end whose backlog is full") {
  const FileDescriptor full(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  REQUIRE(listen(full.get(), 0) == 0);  // binds it to a free port of any address
  Address place = to_address(local_end(full.get()));
  place.host = "127.0.0.1";
  std::vector<FileDescriptor> waiting;  // room is for one or two
  for (int i = 0; i < 3; ++i) {
    auto one = begin_connecting((*resolve(place)).front());
    REQUIRE(one);
    waiting.push_back(std::move(*one));
  }
  std::mutex mutex;
  std::string said;
  DebuggerRelay relay(always(place, Access::kAny), [&](LogLevel, const std::string& text) {
    const std::lock_guard lock(mutex);
    said += text;
  });
  TestServer server(with(relay));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(command(1, 1, 1)));
  CHECK(client.request(2, {kEcho, {}})->header.id == 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  relay.stop();
  // Not that the time is over, nor an error of the socket's.
  CHECK(said.find("it has gone already") != std::string::npos);
}

}  // namespace ddm
