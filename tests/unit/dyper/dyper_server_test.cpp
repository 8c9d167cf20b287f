#include "adapters/dyper/documents/dyper_server.h"

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <thread>

#include "wire/sockets/connect.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

// What comes until the other end is silent for a while or has gone; at most `size` bytes.
std::string receive(int fd, std::size_t size) {
  std::string all;
  for (int quiet = 0; all.size() < size && quiet < 500;) {
    char buffer[65536];
    const ssize_t got = recv(fd, buffer, std::min(sizeof buffer, size - all.size()), MSG_DONTWAIT);
    if (got == 0) break;
    if (got > 0) all.append(buffer, static_cast<std::size_t>(got));
    quiet = got > 0 ? 0 : quiet + 1;
    if (got < 0) std::this_thread::sleep_for(milliseconds(10));
  }
  return all;
}

void say(const FileDescriptor& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) text.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0) std::this_thread::sleep_for(milliseconds(1));
  }
}

// Answers each document with itself in brackets.
std::unique_ptr<DyperServer> echo_server() {
  DyperServer::Settings settings;
  settings.peers.greeting = "hello\n";
  settings.peers.on_document = [](const std::shared_ptr<DyperPeer>& peer,
                                  const std::string& document) {
    peer->answer("[" + document + "]");
  };
  auto server = DyperServer::start(std::move(settings), *IoLoop::create({}));
  REQUIRE(server);
  return std::move(*server);
}

FileDescriptor connected_to(const DyperServer& server) {
  auto socket = connect_to(server.bound_address(), milliseconds(5000));
  REQUIRE(socket);
  return std::move(*socket);
}

}  // namespace

TEST_CASE("a peer is greeted, answered in order, told what all are told, and bidden farewell") {
  auto server = echo_server();
  const FileDescriptor peer = connected_to(*server);
  CHECK(receive(peer.get(), 6) == "hello\n");
  std::string sent, wanted;
  for (int i = 0; i < 1000; ++i) {
    sent += std::to_string(i) + "\nENDDYPERMSG\n";
    wanted += "[" + std::to_string(i) + "\n]\nENDDYPERREPLY\n";
  }
  std::thread sender([&] { say(peer, sent); });
  CHECK(receive(peer.get(), wanted.size()) == wanted);
  sender.join();
  server->broadcast("news\n");
  CHECK(receive(peer.get(), 5) == "news\n");
  server->stop("bye\n");
  CHECK(receive(peer.get(), 100) == "bye\n");
}

TEST_CASE("who sends no more is still answered") {
  auto server = echo_server();
  const FileDescriptor peer = connected_to(*server);
  CHECK(receive(peer.get(), 6) == "hello\n");
  say(peer, "a\nENDDYPERMSG\nb");
  shutdown(peer.get(), SHUT_WR);
  CHECK(receive(peer.get(), 1000) == "[a\n]\nENDDYPERREPLY\n");
  for (int i = 0; i < 500 && server->has_peers(); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK_FALSE(server->has_peers());
}

TEST_CASE("an answer of megabytes arrives whole") {
  DyperServer::Settings settings;
  const std::string big(5 << 20, 'x');
  settings.peers.on_document = [&](const std::shared_ptr<DyperPeer>& peer, const std::string&) {
    peer->answer(big);
  };
  auto server = DyperServer::start(std::move(settings), *IoLoop::create({}));
  REQUIRE(server);
  const FileDescriptor peer = connected_to(**server);
  say(peer, "a\nENDDYPERMSG\n");
  CHECK(receive(peer.get(), big.size() + 16).size() == big.size() + 15);
  (*server)->stop({});
}

}  // namespace ddm
