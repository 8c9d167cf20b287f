// Peers that do what no server does: the connection suffers, and nobody else.
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <ctime>
#include <random>

#include "test_server.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

bool still_serves(TestServer& server) {
  TestClient client(server.address());
  if (!client.shake_hands()) return false;
  const auto reply = client.request(1, {kQuick, {1}});
  return reply && chunks_of(*reply) == std::vector<Chunk>{{kQuick, {1}}};
}

void reset_instead_of_closing(TestClient& client) {
  const linger hard{1, 0};
  setsockopt(client.fd(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  client.close();
}

}  // namespace

TEST_CASE("An HTTP request and any other greeting is dropped without a word") {
  TestServer server;
  using namespace std::string_view_literals;
  for (const std::string_view text :
       {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"sv, "POST / HTTP/1.1\r\n"sv, "JDWP-HandshakX"sv,
        "jdwp-handshake"sv, "\n"sv, "JDWP-Handshak\0"sv}) {
    INFO(text);
    TestClient client(server.address());
    REQUIRE(client.send_text(text));
    CHECK(client.at_end());
  }
  CHECK(still_serves(server));
  CHECK(server.log().find("does not speak JDWP") != std::string::npos);
}

TEST_CASE("Bad lengths and odd flags drop the connection") {
  TestServer server;
  const Bytes bad[] = {{0, 0, 0, 10, 0, 0, 0, 1, 0, 0xc7, 1},
                       {0, 0, 0, 0, 0, 0, 0, 1, 0, 0xc7, 1},
                       {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1, 0, 0xc7, 1},
                       {0x01, 0, 0, 1, 0, 0, 0, 1, 0, 0xc7, 1},  // one above 16 MiB
                       {0, 0, 0, 11, 0, 0, 0, 1, 0x40, 0xc7, 1}};
  for (const Bytes& bytes : bad) {
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    REQUIRE(client.send(bytes));
    CHECK(client.at_end());
  }
  CHECK(still_serves(server));
}

TEST_CASE("A handshake that does not come in time drops the connection") {
  ServerOptions options;
  options.limits.handshake_time = std::chrono::milliseconds(50);
  TestServer server(options);
  TestClient silent(server.address());
  TestClient halfway(server.address());
  TestClient good(server.address());
  REQUIRE(good.shake_hands());
  REQUIRE(halfway.send_text("JDWP"));
  CHECK(silent.at_end());
  CHECK(halfway.at_end());
  CHECK(good.request(1, {kEcho, {}}));
}

TEST_CASE("A packet that is never finished drops the connection") {
  ServerOptions options;
  options.limits.packet_time = std::chrono::milliseconds(50);
  TestServer server(options);
  TestClient halfway(server.address());
  TestClient idle(server.address());
  REQUIRE(halfway.shake_hands());
  REQUIRE(idle.shake_hands());
  REQUIRE(halfway.request(1, {kEcho, {}}));
  REQUIRE(halfway.send(Bytes{0, 0, 0, 19}));
  CHECK(halfway.at_end());
  CHECK(idle.request(1, {kEcho, {}}));  // nothing begun, so nothing late
}

TEST_CASE("A packet whose rest is not read, since answers wait to be read, is not late") {
  ServerOptions options;
  options.limits.packet_time = std::chrono::seconds(4);
  TestServer server(options);
  TestClient client(server.address());
  REQUIRE(client.shake_hands());
  REQUIRE(client.request(1, {kEcho, {}}));
  const Bytes request = command_packet(2, {kEcho, Bytes(1000)}).flatten();
  const Chunk large{chunk_type("HPSG"), Bytes(16 << 20)};  // more than sockets take
  REQUIRE(client.send(ByteSpan(request).first(500)));
  server->broadcast(large);
  REQUIRE(client.send(ByteSpan(request).subspan(500, 100)));
  std::this_thread::sleep_for(std::chrono::milliseconds(4500));
  REQUIRE(client.send(ByteSpan(request).subspan(600)));
  const auto reply = client.read_reply();
  REQUIRE(reply);
  CHECK(reply->header.id == 2);
}

TEST_CASE("A program that has closed all descriptors does not make the thread of sockets spin") {
  const auto loop = *IoLoop::create({});
  const auto door = Door::open({}, loop->waker());
  REQUIRE(door);
  ::close(loop->waker()->fd());
  REQUIRE(loop->add(*door));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 4);
  const auto start = Clock::now();
  loop->remove(**door);
  CHECK(Clock::now() - start < std::chrono::seconds(5));
}

TEST_CASE("A server that never reads loses its own connection and nobody waits for it") {
  ServerOptions options;
  options.limits.max_queue = 1 << 20;
  TestServer server(options);
  TestClient deaf(server.address());
  TestClient good(server.address());
  REQUIRE(deaf.shake_hands());
  REQUIRE(good.shake_hands());
  REQUIRE(eventually([&] { return server->sessions().size() == 2; }));
  const Chunk event{chunk_type("THCR"), Bytes(10'000, 1)};
  std::atomic<bool> stop{false};
  std::thread reader([&] {
    while (!stop && good.read_packet()) continue;
  });
  std::chrono::nanoseconds longest{0};
  const bool dropped = eventually([&] {
    const auto start = Clock::now();
    server->broadcast(event);
    longest = std::max<std::chrono::nanoseconds>(longest, Clock::now() - start);
    return server->sessions().size() == 1;
  });
  CHECK(dropped);
  CHECK(longest < std::chrono::seconds(5));  // a blocked send would wait for ever
  CHECK(server.log().find("does not read") != std::string::npos);
  stop = true;
  server->broadcast(event);
  reader.join();
  CHECK(still_serves(server));
}

TEST_CASE("A server that asks much and reads nothing is not read without end") {
  ServerOptions options;
  options.limits.unread_time = std::chrono::milliseconds(300);
  TestServer server(options);
  TestClient greedy(server.address());
  REQUIRE(greedy.shake_hands());
  ByteWriter size;
  size.u4(1 << 20);
  const Bytes request = command_packet(1, {kBig, size.take()}).flatten();
  bool ended = false;
  const timeval patience{2, 0};
  setsockopt(greedy.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  for (int i = 0; i < 10'000'000 && !ended; ++i) ended = !greedy.send(request);
  CHECK(ended);
  CHECK(eventually([&] { return server->sessions().empty(); }));
  CHECK(still_serves(server));
}

TEST_CASE("A server that takes nothing of its answer for long is closed, a slow one is not") {
  ServerOptions options;
  options.limits.unread_time = std::chrono::milliseconds(500);
  TestServer server(options);
  TestClient deaf(server.address());
  TestClient slow(server.address());
  REQUIRE(deaf.shake_hands());
  REQUIRE(slow.shake_hands());
  ByteWriter size;
  size.u4(32 << 20);
  const Chunk request{kBig, size.take()};
  REQUIRE(deaf.send_request(1, request));
  REQUIRE(slow.send_request(1, request));
  for (int i = 0; i < 32; ++i) {
    std::size_t piece = 0;  // the first one may take a while to be made
    for (int attempt = 0; attempt < 10 && piece == 0; ++attempt) piece = slow.read(1 << 20).size();
    REQUIRE(piece == 1 << 20);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(eventually([&] { return server->sessions().size() == 1; }));
  CHECK(slow.read(kPacketHeaderSize + kChunkHeaderSize).size() == 19);
  CHECK(slow.request(2, {kEcho, {}}));
  CHECK(server.log().find("does not read") != std::string::npos);
}

TEST_CASE("Half packets of many servers are held up to a bound, and a whole one gets through") {
  ServerOptions options;
  options.limits.max_memory = std::size_t{8} << 20;
  TestServer server(options);
  const Bytes half = [] {
    Bytes bytes(3 << 20);
    const Bytes head{1, 0, 0, 0, 0, 0, 0, 1, 0, 0xc7, 1};  // of 16 MiB
    std::copy(head.begin(), head.end(), bytes.begin());
    return bytes;
  }();
  std::vector<std::unique_ptr<TestClient>> hostile;
  for (int i = 0; i < 6; ++i) {
    hostile.push_back(std::make_unique<TestClient>(server.address()));
    REQUIRE(hostile.back()->shake_hands());
    hostile.back()->send(half);
  }
  CHECK(eventually([&] { return server->sessions().size() <= 2; }));
  TestClient good(server.address());
  REQUIRE(good.shake_hands());
  const auto reply = good.request(1, {kQuick, Bytes(3 << 20, 5)});
  REQUIRE(reply);
  CHECK(chunks_of(*reply)[0].data == Bytes(3 << 20, 5));
  CHECK(server.log().find("too much") != std::string::npos);
}

TEST_CASE("A server that reads as fast as it is written to does not keep others from their turn") {
  TestServer server;
  TestClient fast(server.address());
  REQUIRE(fast.shake_hands());
  ByteWriter size;
  size.u4(128 << 20);
  REQUIRE(fast.send_request(1, {kBig, size.take()}));
  std::atomic<std::size_t> received{0};
  std::atomic<bool> enough{false};
  std::thread reader([&] {  // an answer of that size takes a while under a sanitizer
    for (int quiet = 0; quiet < 10 && !enough && received < std::size_t{128} << 20;) {
      const std::size_t count = fast.read(1 << 20).size();
      quiet = count == 0 ? quiet + 1 : 0;
      received += count;
    }
    if (received == 0) received = std::size_t{128} << 20;  // fails below
  });
  while (received == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  TestClient other(server.address());
  CHECK(other.shake_hands());
  CHECK(other.request(1, {kEcho, {}}));
  CHECK(received < std::size_t{128} << 20);
  enough = true;
  reader.join();
}

TEST_CASE("More sessions than allowed are turned away, and room is made by leaving") {
  ServerOptions options;
  options.limits.max_sessions = 3;
  TestServer server(options);
  std::vector<std::unique_ptr<TestClient>> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(std::make_unique<TestClient>(server.address()));
    REQUIRE(clients.back()->shake_hands());
  }
  TestClient surplus(server.address());
  CHECK_FALSE(surplus.shake_hands());
  clients.pop_back();
  CHECK(eventually([&] { return TestClient(server.address()).shake_hands(); }));
}

TEST_CASE("A thousand connections leave no descriptor behind") {
  TestServer server;
  REQUIRE(still_serves(server));
  REQUIRE(eventually([&] { return server->sessions().empty(); }));
  const int before = open_descriptors();
  for (int i = 0; i < 1000; ++i) {
    TestClient client(server.address());
    switch (i % 5) {
      case 0:
        break;
      case 1:
        reset_instead_of_closing(client);
        break;
      case 2:
        client.send_text("JDWP-H");
        break;
      case 3:
        REQUIRE(client.shake_hands());
        client.send_request(1, {kSlow, {}});
        if (i % 50 != 3) reset_instead_of_closing(client);
        break;
      default:
        REQUIRE(client.shake_hands());
        REQUIRE(client.request(1, {kEcho, {}}));
    }
  }
  CHECK(still_serves(server));
  CHECK(eventually([&] { return open_descriptors() == before; }));
}

TEST_CASE("Fifty servers at once are all served") {
  TestServer server;
  std::vector<std::thread> threads;
  std::atomic<int> served{0};
  for (int i = 0; i < 50; ++i) {
    threads.emplace_back([&, i] {
      TestClient client(server.address());
      if (!client.shake_hands()) return;
      for (std::uint32_t id = 1; id <= 20; ++id) {
        const Bytes data{static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(id)};
        const auto reply = client.request(id, {id % 2 == 0 ? kEcho : kQuick, data});
        if (!reply || reply->header.id != id) return;
        ByteReader in(reply->payload().subspan(kChunkHeaderSize));
        if (in.u1() != i || in.u1() != id) return;
      }
      ++served;
    });
  }
  for (int i = 0; i < 100; ++i) server->broadcast({chunk_type("THDE"), Bytes(100)});
  for (auto& thread : threads) thread.join();
  CHECK(served == 50);
}

TEST_CASE("Random bytes after the handshake harm nobody") {
  TestServer server;
  std::mt19937 random(4711);
  for (int round = 0; round < 200; ++round) {
    TestClient client(server.address());
    REQUIRE(client.shake_hands());
    Bytes noise(random() % 3000);
    for (auto& byte : noise) byte = static_cast<std::uint8_t>(random());
    if (round % 2 == 0 && noise.size() > 30) {
      // A good header, so that the noise gets as far as the chunks.
      const Bytes header{0,
                         0,
                         static_cast<std::uint8_t>(noise.size() >> 8),
                         static_cast<std::uint8_t>(noise.size()),
                         0,
                         0,
                         0,
                         1,
                         0,
                         0xc7,
                         1};
      std::copy(header.begin(), header.end(), noise.begin());
    }
    client.send(noise);
  }
  CHECK(still_serves(server));
}

TEST_CASE("Running out of descriptors delays connections and breaks nothing") {
  TestServer server;
  TestClient good(server.address());
  REQUIRE(good.shake_hands());
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  std::vector<FileDescriptor> hogs;
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(open_descriptors()) + 20;
  REQUIRE(setrlimit(RLIMIT_NOFILE, &tight) == 0);
  while (true) {
    FileDescriptor hog(dup(good.fd()));
    if (!hog.valid()) break;
    hogs.push_back(std::move(hog));
  }
  REQUIRE_FALSE(hogs.empty());
  hogs.pop_back();  // one for the late client's own end, none for the server's
  TestClient late(server.address());
  const bool served = good.request(1, {kEcho, {}}).has_value();
  hogs.clear();
  REQUIRE(setrlimit(RLIMIT_NOFILE, &before) == 0);
  CHECK(served);
  CHECK(late.shake_hands());
}

TEST_CASE("Stopping is prompt, whatever the peers do") {
  TestServer server;
  TestClient idle(server.address());
  TestClient deaf(server.address());
  TestClient halfway(server.address());
  TestClient busy(server.address());
  REQUIRE(idle.shake_hands());
  REQUIRE(deaf.shake_hands());
  REQUIRE(busy.shake_hands());
  REQUIRE(halfway.send_text("JDWP"));
  ByteWriter size;
  size.u4(8 << 20);
  REQUIRE(deaf.send_request(1, {kBig, size.take()}));
  REQUIRE(busy.send_request(1, {kSlow, {}}));
  REQUIRE(idle.request(1, {kQuick, {}}));
  server->broadcast({chunk_type("APNM"), {1, 2, 3}});  // flushed on the way out
  const auto start = Clock::now();
  server->stop();
  const auto took = Clock::now() - start;
  CHECK(took < std::chrono::seconds(5));  // nobody is waited for; below 1 ms on an idle machine
  const auto last = idle.read_packet();
  REQUIRE(last);
  CHECK(chunks_of(*last)[0].data == Bytes{1, 2, 3});
  CHECK(idle.at_end());
  CHECK(busy.read_packet());
  while (busy.read_packet()) {  // its answer may come too late
  }
  CHECK(busy.at_end());
  server->broadcast({chunk_type("APNM"), {}});
  server->stop();
}
