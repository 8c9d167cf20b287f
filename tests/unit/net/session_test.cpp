#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <future>
#include <thread>

#include "temporary_directory.h"
#include "test_server.h"
#include "wire/chunks/zlib_chunk.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

const Bytes kData{1, 2, 3};
constexpr ChunkType kHeld = chunk_type("HELD");

// kHeld is answered on the slow lane once the promise is kept, or after 20 s.
std::promise<void> add_held(TestServer& server) {
  std::promise<void> let_go;
  server.dispatcher().add(kHeld, Lane::kSlow,
                          [go = let_go.get_future().share()](const Request&, Reply reply) {
                            go.wait_for(std::chrono::seconds(20));
                            reply.send_empty();
                          });
  return let_go;
}

class CountingObserver : public SessionObserver {
 public:
  void connected(const SessionPtr&) override { ++connects; }
  void disconnected(const SessionPtr&) override { ++disconnects; }
  std::atomic<int> connects{0};
  std::atomic<int> disconnects{0};
};

class EchoingDebugger : public DebuggerLink {
 public:
  bool packet(const SessionPtr& session, ByteSpan bytes) override {
    if (!takes) return false;
    session->send({{Bytes(bytes.begin(), bytes.end())}});
    return true;
  }
  void closed(const SessionPtr&) override { ++closes; }
  std::atomic<bool> takes{true};
  std::atomic<int> closes{0};
};

}  // namespace

TEST_CASE("A server answers the handshake and requests on every lane") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (const ChunkType type : {kEcho, kQuick, kSlow}) {
    const auto reply = client.request(77, {type, kData});
    REQUIRE(reply);
    CHECK(reply->header.id == 77);
    CHECK(reply->header.flags == 0x80);
    CHECK(reply->header.error() == 0);
    CHECK(chunks_of(*reply) == std::vector<Chunk>{{type, kData}});
  }
}

TEST_CASE("An unknown chunk gets eleven bytes") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  const auto reply = client.request(5, {chunk_type("????"), kData});
  REQUIRE(reply);
  CHECK(reply->bytes == Bytes{0, 0, 0, 11, 0, 0, 0, 5, 0x80, 0, 0});
}

TEST_CASE("Handshake and requests are understood wherever the stream is cut") {
  TestServer server;
  Bytes stream(kHandshake.begin(), kHandshake.end());
  for (std::uint32_t id = 1; id <= 3; ++id) {
    const Bytes request = command_packet(id, {kEcho, kData}).flatten();
    stream.insert(stream.end(), request.begin(), request.end());
  }
  const ByteSpan all(stream);
  for (std::size_t cut = 0; cut <= stream.size(); ++cut) {
    TestClient client(server.address());
    REQUIRE(client.send(all.first(cut)));
    if (cut % 8 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(client.send(all.subspan(cut)));
    REQUIRE(client.read(kHandshake.size()).size() == kHandshake.size());
    for (std::uint32_t id = 1; id <= 3; ++id) {
      const auto reply = client.read_reply();
      REQUIRE(reply);
      REQUIRE(reply->header.id == id);
    }
  }
}

TEST_CASE("A request may come byte by byte") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (const std::uint8_t byte : command_packet(9, {kEcho, kData}).flatten()) {
    REQUIRE(client.send(ByteSpan(&byte, 1)));
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  CHECK(client.read_reply()->header.id == 9);
}

TEST_CASE("A slow request holds up nobody") {
  TestServer server;
  std::promise<void> let_go = add_held(server);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send_request(1, {kHeld, kData}));
  REQUIRE(client.send_request(2, {kQuick, kData}));
  CHECK(client.read_reply()->header.id == 2);
  let_go.set_value();
  CHECK(client.read_reply()->header.id == 1);
}

TEST_CASE("A client that has closed its sending side gets its answers, then the end") {
  const TemporaryDirectory directory;
  ServerOptions options;
  options.limits.max_requests = 2;  // some requests are still unread at the end of file
  SECTION("on a port") {}
  SECTION("on a Unix socket") {
    options.address = {Address::Kind::kUnix, "", 0, directory / "socket"};
  }
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (std::uint32_t id = 1; id <= 5; ++id) {
    REQUIRE(client.send_request(id, {id % 2 == 0 ? kEcho : kSlow, kData}));
  }
  REQUIRE(shutdown(client.fd(), SHUT_WR) == 0);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    const auto reply = client.read_reply();
    REQUIRE(reply);
    sum += reply->header.id;
  }
  CHECK(sum == 1 + 2 + 3 + 4 + 5);
  CHECK(client.at_end());
  CHECK(eventually([&] { return server->sessions().empty(); }));
}

TEST_CASE("A client that closes both sides is noticed while its request runs") {
  const TemporaryDirectory directory;
  ServerOptions options;
  bool half_first = false;
  SECTION("on a port") {}
  SECTION("on a port, one after the other") { half_first = true; }
  SECTION("on a Unix socket, one after the other") {
    half_first = true;
    options.address = {Address::Kind::kUnix, "", 0, directory / "socket"};
  }
  TestServer server(options);
  std::promise<void> let_go = add_held(server);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send_request(1, {kHeld, kData}));
  if (half_first) {
    REQUIRE(shutdown(client.fd(), SHUT_WR) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    CHECK(server->sessions().size() == 1);
  }
  client.close();
  CHECK(eventually([&] { return server->sessions().empty(); }));
  let_go.set_value();
}

TEST_CASE("Every one of a thousand requests at once gets exactly one reply") {
  ServerOptions options;
  options.limits.max_requests = 16;  // so that reading has to pause and go on
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  Bytes stream;
  constexpr std::uint32_t kRequests = 1000;
  for (std::uint32_t id = 1; id <= kRequests; ++id) {
    const Bytes one = command_packet(id, {id % 2 == 0 ? kEcho : kQuick, kData}).flatten();
    stream.insert(stream.end(), one.begin(), one.end());
  }
  std::thread sender([&] { client.send(stream); });
  std::vector<int> replies(kRequests + 1);
  for (std::uint32_t i = 0; i < kRequests; ++i) {
    const auto reply = client.read_reply();
    REQUIRE(reply);
    REQUIRE(reply->header.id <= kRequests);
    ++replies[reply->header.id];
  }
  sender.join();
  CHECK(std::count(replies.begin() + 1, replies.end(), 1) == kRequests);
  client.send_request(kRequests + 1, {kEcho, {}});
  CHECK(client.read_reply()->header.id == kRequests + 1);  // and no second reply before it
}

TEST_CASE("A big answer arrives whole") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  ByteWriter size;
  size.u4(20'000'000);
  const auto reply = client.request(1, {kBig, size.take()});
  REQUIRE(reply);
  const auto chunks = chunks_of(*reply);
  REQUIRE(chunks.size() == 1);
  CHECK(chunks[0].data == Bytes(20'000'000, 'b'));
}

TEST_CASE("A session is read again once a big answer that was there at once has been sent") {
  TestServer server;
  const ChunkType ready = chunk_type("REDY");
  server.dispatcher().add(ready, Lane::kInline, [](const Request& request, Reply reply) {
    reply.send(Chunk{request.type, Bytes(3'000'000, 'r')});
  });
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  for (std::uint32_t id = 1; id <= 6; ++id) REQUIRE(client.request(id, {ready, {}}));
}

TEST_CASE("Events reach sessions past their handshake, and nobody else") {
  TestServer server;
  TestClient silent(server.address());
  TestClient halfway(server.address());
  REQUIRE(halfway.send_text("JDWP-Hand"));
  TestClient ready(server.address());
  REQUIRE(ready.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 1; }));
  const Chunk event{chunk_type("APNM"), kData};
  server->broadcast(event);
  const auto packet = ready.read_packet();
  REQUIRE(packet);
  CHECK(packet->header.is_ddm_command());
  CHECK((packet->header.id & kVmIdBit) != 0);
  CHECK(chunks_of(*packet) == std::vector<Chunk>{event});
  REQUIRE(halfway.send_text("shake"));
  CHECK(halfway.read(14) == Bytes(kHandshake.begin(), kHandshake.end()));
  CHECK(halfway.request(1, {kEcho, {}})->header.id == 1);
  CHECK(halfway.events.empty());
}

TEST_CASE("A session's event goes to nobody else") {
  TestServer server;
  TestClient one(server.address());
  TestClient other(server.address());
  REQUIRE(one.shake_hands());
  REQUIRE(other.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 2; }));
  server->sessions()[1]->send_event({chunk_type("THDE"), kData});
  server->sessions()[0]->send_event({chunk_type("THST"), kData});
  REQUIRE(one.request(1, {kEcho, {}}));
  REQUIRE(other.request(1, {kEcho, {}}));
  REQUIRE(one.events.size() == 1);
  REQUIRE(other.events.size() == 1);
  const auto type_of = [](const Packet& packet) { return chunk_name(chunks_of(packet)[0].type); };
  // Which client is which session is up to the order of accepting, which is that of connecting.
  CHECK(type_of(one.events[0]) == "THST");
  CHECK(type_of(other.events[0]) == "THDE");
}

TEST_CASE("A heap map bigger than the queue arrives whole when its sender waits for room") {
  ServerOptions options;
  options.limits.max_queue = 1 << 20;
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 1; }));
  constexpr int kEvents = 2000;
  std::thread sender([&] {
    const SessionPtr session = server->sessions()[0];
    for (int i = 0; i < kEvents; ++i) {
      if (!session->wait_for_room(std::chrono::seconds(10))) return;
      session->send_event({chunk_type("HPSG"), Bytes(16'000, 1)});
    }
  });
  int received = 0;
  while (received < kEvents && client.read_packet()) ++received;
  sender.join();
  CHECK(received == kEvents);
}

TEST_CASE("Waiting for room ends with the session") {
  ServerOptions options;
  options.limits.max_queue = 1 << 20;
  TestServer server(options);
  TestClient deaf(server.address());
  REQUIRE(deaf.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 1; }));
  const SessionPtr session = server->sessions()[0];
  for (int i = 0; i < 8; ++i) session->send_event({chunk_type("HPSG"), Bytes(1 << 20, 1)});
  CHECK_FALSE(session->wait_for_room(std::chrono::milliseconds(20)));
  bool room = true;
  std::thread waiting([&] { room = session->wait_for_room(std::chrono::seconds(60)); });
  deaf.close();
  waiting.join();
  CHECK_FALSE(room);
}

TEST_CASE("Modes begin anew with every connection") {
  TestServer server;
  {
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    REQUIRE(eventually([&] { return server->sessions().size() == 1; }));
    server->sessions()[0]->modes.heap_info_when = HeapInfoWhen::kEveryGc;
  }
  REQUIRE(eventually([&] { return server->sessions().empty(); }));
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 1; }));
  CHECK(server->sessions()[0]->modes.heap_info_when == HeapInfoWhen::kNever);
}

TEST_CASE("The observer hears of DDM servers, not of mere connections") {
  CountingObserver observer;
  ServerOptions options;
  options.observer = &observer;
  TestServer server(options);
  {
    TestClient stranger(server.address());
    REQUIRE(stranger.shake_hands());
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    REQUIRE(client.request(1, {kEcho, {}}));
    REQUIRE(client.request(2, {kEcho, {}}));
    CHECK(observer.connects == 1);
    CHECK(observer.disconnects == 0);
  }
  CHECK(eventually([&] { return observer.disconnects == 1; }));
  REQUIRE(eventually([&] { return server->sessions().empty(); }));
  CHECK(observer.connects == 1);
}

TEST_CASE("Without a debugger back end a JDWP command gets error 99") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(Bytes{0, 0, 0, 11, 0, 0, 0, 3, 0, 1, 1}));  // VirtualMachine.Version
  const auto reply = client.read_reply();
  REQUIRE(reply);
  CHECK(reply->bytes == Bytes{0, 0, 0, 11, 0, 0, 0, 3, 0x80, 0, 99});
  REQUIRE(client.send(Bytes{0, 0, 0, 11, 0, 0, 0, 4, 0, 0xc7, 2}));
  CHECK(client.read_reply()->header.error() == 99);
}

TEST_CASE("A reply from the server is not answered") {
  TestServer server;
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.send(reply_packet(3, {}).flatten()));
  CHECK(client.request(4, {kEcho, {}})->header.id == 4);
}

TEST_CASE("JDWP commands pass to the debugger back end and its packets pass back") {
  EchoingDebugger debugger;
  ServerOptions options;
  options.debugger = &debugger;
  TestServer server(options);
  {
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    const Bytes command{0, 0, 0, 13, 0, 0, 0, 3, 0, 15, 1, 40, 41};
    REQUIRE(client.send(command));
    CHECK(client.read(13) == command);
    CHECK(client.request(1, {kEcho, kData})->header.id == 1);
    debugger.takes = false;
    REQUIRE(client.send(command));
    CHECK(client.read_reply()->header.error() == 99);
  }
  CHECK(eventually([&] { return debugger.closes == 1; }));
}

TEST_CASE("ZLIB is sent only to a server that has sent it, or always, or never") {
  const Chunk big{kEcho, Bytes(2000, 7)};
  const Chunk packed = *compress_chunk(big);
  ServerOptions options;
  SECTION("auto") {
    TestServer server(options);
    TestClient client(server.address());
    TestClient other(server.address());
    REQUIRE(client.shake_hands());
    REQUIRE(other.shake_hands());
    CHECK(chunks_of(*client.request(1, big)) == std::vector<Chunk>{big});
    CHECK(chunks_of(*client.request(2, packed)) == std::vector<Chunk>{packed});
    CHECK(chunks_of(*client.request(3, big)) == std::vector<Chunk>{packed});
    CHECK(chunks_of(*client.request(4, {kEcho, kData})) == std::vector<Chunk>{{kEcho, kData}});
    CHECK(chunks_of(*other.request(1, big)) == std::vector<Chunk>{big});
  }
  SECTION("always") {
    options.compression = Compression::kAlways;
    TestServer server(options);
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    CHECK(chunks_of(*client.request(1, big)) == std::vector<Chunk>{packed});
    server->broadcast(big);
    CHECK(chunks_of(*client.read_packet()) == std::vector<Chunk>{packed});
  }
  SECTION("never") {
    options.compression = Compression::kNever;
    TestServer server(options);
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    CHECK(chunks_of(*client.request(1, packed)) == std::vector<Chunk>{big});
  }
}

TEST_CASE("A server on a Unix socket works like one on a port") {
  const TemporaryDirectory directory;
  ServerOptions options;
  options.address = {Address::Kind::kUnix, "", 0, directory / "socket"};
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  CHECK(chunks_of(*client.request(1, {kQuick, kData})) == std::vector<Chunk>{{kQuick, kData}});
}

TEST_CASE("A server on an IPv6 port works like one on IPv4") {
  const Address loopback{Address::Kind::kTcp, "::1", 0, ""};
  if (!Listener::open(loopback)) {
    WARN("no IPv6 here: left out");
    return;
  }
  ServerOptions options;
  options.address = loopback;
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  CHECK(chunks_of(*client.request(1, {kQuick, kData})) == std::vector<Chunk>{{kQuick, kData}});
}

TEST_CASE("Who connects before a server accepts is served once it does") {
  Dispatcher dispatcher;
  ThreadExecutor executor;
  ServerOptions options;
  options.address = *parse_address("127.0.0.1:0");
  const auto server = Server::bind(options, dispatcher, executor, *IoLoop::create({}));
  REQUIRE(server.ok());
  TestClient client((*server)->bound_address());
  REQUIRE(client.connected());
  REQUIRE(client.send_text("JDWP-Handshake"));
  pollfd ready{client.fd(), POLLIN, 0};
  CHECK(poll(&ready, 1, 50) == 0);
  CHECK((*server)->sessions().empty());
  REQUIRE((*server)->accept());
  CHECK(client.read(14).size() == 14);
  CHECK(eventually([&] { return (*server)->sessions().size() == 1; }));
}

TEST_CASE("A server whose port is taken does not start and says why") {
  TestServer first;
  Dispatcher dispatcher;
  ThreadExecutor executor;
  ServerOptions options;
  options.address = first.address();
  const auto second = Server::bind(options, dispatcher, executor, *IoLoop::create({}));
  REQUIRE_FALSE(second.ok());
  CHECK(second.message().find(to_string(first.address())) != std::string::npos);
  CHECK(second.message().find("in use") != std::string::npos);
}
