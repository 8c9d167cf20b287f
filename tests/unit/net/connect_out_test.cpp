// server=n: the program connects to the DDM server, which then speaks first as always.
#include <poll.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <future>

#include "silent_resolver.h"
#include "temporary_directory.h"
#include "test_server.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

FileDescriptor accept_one(const Listener& listener) {
  pollfd ready{listener.fd(), POLLIN, 0};
  if (poll(&ready, 1, 10'000) != 1) return {};
  return FileDescriptor(accept(listener.fd(), nullptr, nullptr));
}

// As a DDM server: greets, asks, and gets its echo and its answer.
bool serve(const FileDescriptor& fd) {
  Bytes stream(kHandshake.begin(), kHandshake.end());
  const Bytes request = command_packet(1, {kEcho, {7}}).flatten();
  stream.insert(stream.end(), request.begin(), request.end());
  if (send(fd.get(), stream.data(), stream.size(), MSG_NOSIGNAL) < 0) return false;
  Bytes answer(kHandshake.size() + request.size());
  return recv(fd.get(), answer.data(), answer.size(), MSG_WAITALL) ==
             static_cast<ssize_t>(answer.size()) &&
         answer.back() == 7;
}

ServerOptions out_to(const Address& address) {
  ServerOptions options;
  options.address = address;
  options.connect_out = true;
  return options;
}

}  // namespace

TEST_CASE("A program connects to a DDM server and again when the connection is lost") {
  auto listener = Listener::open({});
  REQUIRE(listener);
  TestServer server(out_to(listener->bound()));
  for (int i = 0; i < 2; ++i) {
    const FileDescriptor connection = accept_one(*listener);
    REQUIRE(connection.valid());
    CHECK(serve(connection));
  }
}

TEST_CASE("A program finds a DDM server that starts later") {
  Address address;
  {
    const auto free = Listener::open({});
    REQUIRE(free);
    address = free->bound();
  }
  TestServer server(out_to(address));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  auto listener = Listener::open(address);
  REQUIRE(listener);
  const FileDescriptor connection = accept_one(*listener);
  REQUIRE(connection.valid());
  CHECK(serve(connection));
}

TEST_CASE("A program connects to a DDM server on a Unix socket") {
  const TemporaryDirectory directory;
  auto listener = Listener::open({Address::Kind::kUnix, "", 0, directory / "socket"});
  REQUIRE(listener);
  TestServer server(out_to(listener->bound()));
  const FileDescriptor connection = accept_one(*listener);
  REQUIRE(connection.valid());
  CHECK(serve(connection));
}

TEST_CASE("Connecting out is refused without a port, to a range, and to where nothing is checked") {
  Dispatcher dispatcher;
  ThreadExecutor executor;
  for (const char* text : {"127.0.0.1:0", "scan", "192.0.2.1:8700"}) {
    INFO(text);
    const auto server =
        Server::bind(out_to(*parse_address(text)), dispatcher, executor, *IoLoop::create({}));
    REQUIRE_FALSE(server.ok());
    CHECK(server.message().find(text) != std::string::npos);
  }
}

TEST_CASE("A name server that is silent holds up nobody, and is asked again") {
  auto listener = Listener::open({});
  REQUIRE(listener);
  Address address = listener->bound();
  address.host = kLoopbackName;
  ServerOptions options = out_to(address);
  options.access = Access::kAny;
  std::optional<SilentResolver> silent(std::in_place);
  TestServer server(options);
  REQUIRE(SilentResolver::wait_until_asked());
  SECTION("stopping") {
    const auto stopping = std::async(std::launch::async, [&] { server->stop(); });
    CHECK(stopping.wait_for(std::chrono::seconds(10)) == std::future_status::ready);
    silent.reset();
  }
  SECTION("answering later") {
    silent.reset();  // says that it has failed
    const FileDescriptor connection = accept_one(*listener);
    REQUIRE(connection.valid());
    CHECK(serve(connection));
    CHECK(server.log().find("cannot be resolved") != std::string::npos);
  }
}

TEST_CASE("Stopping while nobody answers is prompt") {
  TestServer server(out_to({Address::Kind::kTcp, "127.0.0.1", 1, ""}));
  const auto start = Clock::now();
  server->stop();
  CHECK(Clock::now() - start < std::chrono::seconds(2));
}
