#include "adapters/dyper/documents/dyper_server.h"

#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
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
    peer->answer("[" + document + "]", document.size());
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

template <typename Condition>
bool becomes(const Condition& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return condition();
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
  settings.peers.on_document = [&](const std::shared_ptr<DyperPeer>& peer,
                                   const std::string& document) {
    peer->answer(big, document.size());
  };
  auto server = DyperServer::start(std::move(settings), *IoLoop::create({}));
  REQUIRE(server);
  const FileDescriptor peer = connected_to(**server);
  say(peer, "a\nENDDYPERMSG\n");
  CHECK(receive(peer.get(), big.size() + 16).size() == big.size() + 15);
  (*server)->stop({});
}

TEST_CASE("who does not read its answers is not asked on, and gets all of them when it reads") {
  const std::string big(300'000, 'x');
  std::atomic<int> asked{0};
  DyperServer::Settings settings;
  settings.peers.greeting = "hello\n";
  settings.peers.on_document = [&](const std::shared_ptr<DyperPeer>& peer,
                                   const std::string& document) {
    ++asked;
    peer->answer(big, document.size());
  };
  auto server = DyperServer::start(std::move(settings), *IoLoop::create({}));
  REQUIRE(server);
  const FileDescriptor peer = connected_to(**server);
  CHECK(receive(peer.get(), 6) == "hello\n");
  constexpr int kDocuments = 200;
  for (int i = 0; i < kDocuments; ++i) say(peer, "a\nENDDYPERMSG\n");
  shutdown(peer.get(), SHUT_WR);
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(asked < kDocuments / 2);  // sockets take some
  const std::size_t whole = kDocuments * (big.size() + 15);
  CHECK(receive(peer.get(), whole).size() == whole);
  CHECK(becomes([&] { return !(*server)->has_peers(); }));
  (*server)->stop({});
}

TEST_CASE("no more is read from a peer while megabytes of its documents are unanswered") {
  std::mutex mutex;
  std::vector<std::shared_ptr<DyperPeer>> asked;
  DyperServer::Settings settings;
  settings.peers.on_document = [&](const std::shared_ptr<DyperPeer>& peer, const std::string&) {
    const std::lock_guard lock(mutex);
    asked.push_back(peer);
  };
  auto server = DyperServer::start(std::move(settings), *IoLoop::create({}));
  REQUIRE(server);
  const FileDescriptor peer = connected_to(**server);
  const std::string document = std::string(500'000, 'x') + "\nENDDYPERMSG\n";
  constexpr int kDocuments = 40;
  std::thread sender([&] {
    for (int i = 0; i < kDocuments; ++i) say(peer, document);
  });
  std::this_thread::sleep_for(milliseconds(500));
  int answered = 0;
  const auto answer_all = [&] {
    std::vector<std::shared_ptr<DyperPeer>> now;
    {
      const std::lock_guard lock(mutex);
      now.swap(asked);
    }
    for (const auto& one : now) one->answer("", 500'001);
    answered += static_cast<int>(now.size());
    return answered == kDocuments;
  };
  {
    const std::lock_guard lock(mutex);
    CHECK(asked.size() < 12);
  }
  CHECK(becomes(answer_all));
  sender.join();
  (*server)->stop({});
}

TEST_CASE("what a peer makes the agent hold is its burden") {
  int ends[2] = {};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
  const FileDescriptor other(ends[1]);
  auto settings = std::make_shared<DyperPeer::Settings>();
  settings->on_document = [](const std::shared_ptr<DyperPeer>&, const std::string&) {};
  const auto peer = std::make_shared<DyperPeer>(settings, FileDescriptor(ends[0]), "other",
                                                *Waker::create(), /*checked=*/true);
  CHECK(peer->burden().memory == 0);
  say(other, "four\nENDDYPERMSG\nthree");
  REQUIRE(peer->read());
  CHECK(peer->serve(Clock::now()));
  CHECK(peer->burden().memory == 10);  // an unanswered document, and the beginning of one
  peer->send("12345");
  constexpr std::size_t kLarge = std::size_t{16} << 20;  // more than a socket takes
  peer->send(std::string(kLarge, 'x'));
  CHECK(peer->burden().memory == 15);
  CHECK(peer->burden().stored == kLarge);
  const auto begun = peer->burden_since();
  peer->weigh(Clock::now() + milliseconds(1));
  CHECK(peer->burden_since() == begun);
}

}  // namespace ddm
