#include "adapters/dyper/documents/dyper_door.h"

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

class OpenDoor {
 public:
  explicit OpenDoor(DyperPeer::Settings settings)
      : opened_(open_dyper_door({}, std::move(settings), loop_)) {
    REQUIRE(opened_);
  }
  ~OpenDoor() { close(); }
  const Door& operator*() const { return **opened_; }
  void close() { loop_->remove(**opened_); }
  bool has_peers() const { return !(*opened_)->peers().empty(); }
  FileDescriptor connect() const {
    auto socket = connect_to((*opened_)->bound(), milliseconds(5000));
    REQUIRE(socket);
    return std::move(*socket);
  }

 private:
  const std::shared_ptr<IoLoop> loop_ = *IoLoop::create({});
  const Result<std::shared_ptr<Door>> opened_;
};

// Each document is answered with itself in brackets.
DyperPeer::Settings echoing() {
  DyperPeer::Settings settings;
  settings.greeting = "hello\n";
  settings.on_document = [](const std::shared_ptr<DyperPeer>& peer, const std::string& document) {
    peer->answer("[" + document + "]", document.size());
  };
  return settings;
}

// A peer that no loop serves.
struct PeerAlone {
  FileDescriptor other;
  std::shared_ptr<DyperPeer::Settings> settings = std::make_shared<DyperPeer::Settings>();
  std::shared_ptr<DyperPeer> peer;

  PeerAlone() {
    int ends[2] = {};
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    other = FileDescriptor(ends[1]);
    settings->on_document = [](const std::shared_ptr<DyperPeer>&, const std::string&) {};
    peer = std::make_shared<DyperPeer>(settings, FileDescriptor(ends[0]), "other", *Waker::create(),
                                       /*checked=*/true);
  }
};

template <typename Condition>
bool becomes(const Condition& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return condition();
}

}  // namespace

TEST_CASE("a peer is greeted, answered in order, told what all are told, and bidden farewell") {
  OpenDoor door(echoing());
  const FileDescriptor peer = door.connect();
  CHECK(receive(peer.get(), 6) == "hello\n");
  std::string sent, wanted;
  for (int i = 0; i < 1000; ++i) {
    sent += std::to_string(i) + "\nENDDYPERMSG\n";
    wanted += "[" + std::to_string(i) + "\n]\nENDDYPERREPLY\n";
  }
  std::thread sender([&] { say(peer, sent); });
  CHECK(receive(peer.get(), wanted.size()) == wanted);
  sender.join();
  send_to_all(*door, "news\n");
  CHECK(receive(peer.get(), 5) == "news\n");
  send_to_all(*door, "bye\n", /*also_full=*/true);
  door.close();
  CHECK(receive(peer.get(), 100) == "bye\n");
}

TEST_CASE("who sends no more is still answered") {
  OpenDoor door(echoing());
  const FileDescriptor peer = door.connect();
  CHECK(receive(peer.get(), 6) == "hello\n");
  say(peer, "a\nENDDYPERMSG\nb");
  shutdown(peer.get(), SHUT_WR);
  CHECK(receive(peer.get(), 1000) == "[a\n]\nENDDYPERREPLY\n");
  CHECK(becomes([&] { return !door.has_peers(); }));
}

TEST_CASE("an answer of megabytes arrives whole") {
  DyperPeer::Settings settings;
  const std::string big(5 << 20, 'x');
  settings.on_document = [&](const std::shared_ptr<DyperPeer>& peer, const std::string& document) {
    peer->answer(big, document.size());
  };
  OpenDoor door(std::move(settings));
  const FileDescriptor peer = door.connect();
  say(peer, "a\nENDDYPERMSG\n");
  CHECK(receive(peer.get(), big.size() + 16).size() == big.size() + 15);
  door.close();
}

TEST_CASE("who does not read its answers is not asked on, and gets all of them when it reads") {
  const std::string big(300'000, 'x');
  std::atomic<int> asked{0};
  DyperPeer::Settings settings;
  settings.greeting = "hello\n";
  settings.on_document = [&](const std::shared_ptr<DyperPeer>& peer, const std::string& document) {
    ++asked;
    peer->answer(big, document.size());
  };
  OpenDoor door(std::move(settings));
  const FileDescriptor peer = door.connect();
  CHECK(receive(peer.get(), 6) == "hello\n");
  constexpr int kDocuments = 200;
  for (int i = 0; i < kDocuments; ++i) say(peer, "a\nENDDYPERMSG\n");
  shutdown(peer.get(), SHUT_WR);
  std::this_thread::sleep_for(milliseconds(300));
  CHECK(asked < kDocuments / 2);  // sockets take some
  const std::size_t whole = kDocuments * (big.size() + 15);
  CHECK(receive(peer.get(), whole).size() == whole);
  CHECK(becomes([&] { return !door.has_peers(); }));
  door.close();
}

TEST_CASE("no more is read from a peer while megabytes of its documents are unanswered") {
  std::mutex mutex;
  std::vector<std::shared_ptr<DyperPeer>> asked;
  DyperPeer::Settings settings;
  settings.on_document = [&](const std::shared_ptr<DyperPeer>& peer, const std::string&) {
    const std::lock_guard lock(mutex);
    asked.push_back(peer);
  };
  OpenDoor door(std::move(settings));
  const FileDescriptor peer = door.connect();
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
  door.close();
}

TEST_CASE("what a peer makes the agent hold is its burden") {
  const PeerAlone alone;
  const auto& [other, settings, peer] = alone;
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

TEST_CASE("a peer that has ended keeps no socket and no files while a document is unanswered") {
  PeerAlone alone;
  const auto& [other, settings, peer] = alone;
  say(other, "a\nENDDYPERMSG\n");
  REQUIRE(peer->read());
  CHECK(peer->serve(Clock::now()));
  std::size_t freed = 0;
  settings->free = [&](const SendQueue::Leftovers& gone) { freed += gone.size(); };
  peer->send(std::string(std::size_t{16} << 20, 'x'));
  peer->end(/*notify=*/true);
  CHECK(freed == 1);
  CHECK(receive(other.get(), 1).empty());
  CHECK(send(other.get(), "x", 1, MSG_NOSIGNAL) < 0);
  peer->answer("too late", 2);
}

}  // namespace ddm
