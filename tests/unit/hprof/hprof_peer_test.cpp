#include "adapters/hprof/hprof_peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <ctime>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "wire/sockets/socket_address.h"

namespace ddm {
namespace {

using std::chrono::milliseconds;

struct Listener {
  FileDescriptor fd{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  Address address;

  Listener() {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    REQUIRE(bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) == 0);
    REQUIRE(listen(fd.get(), 1) == 0);
    address = to_address(local_end(fd.get()));
  }
  FileDescriptor accept() const {
    pollfd polled{fd.get(), POLLIN, 0};
    REQUIRE(poll(&polled, 1, 10'000) == 1);
    return FileDescriptor(::accept(fd.get(), nullptr, nullptr));
  }
};

std::string receive(int fd, std::size_t size) {
  std::string all;
  while (all.size() < size) {
    char buffer[65536];
    pollfd polled{fd, POLLIN, 0};
    if (poll(&polled, 1, 10'000) != 1) break;
    const ssize_t got = recv(fd, buffer, std::min(sizeof buffer, size - all.size()), 0);
    if (got <= 0) break;
    all.append(buffer, static_cast<std::size_t>(got));
  }
  return all;
}

// The peer's thread may still tell something when the test has ended: what it writes to is its own.
class Lines {
 public:
  std::string wait() const {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard lock(told_->mutex);
        if (!told_->lines.empty()) return told_->lines.front();
      }
      std::this_thread::sleep_for(milliseconds(10));
    }
    return "";
  }
  bool empty() const {
    const std::lock_guard lock(told_->mutex);
    return told_->lines.empty();
  }
  HprofPeer::Report report() const {
    return [told = told_](std::string_view line) {
      const std::lock_guard lock(told->mutex);
      told->lines.emplace_back(line);
    };
  }

 private:
  struct Told {
    std::mutex mutex;
    std::vector<std::string> lines;
  };
  std::shared_ptr<Told> told_ = std::make_shared<Told>();
};

// Open files of this process that have no name any more.
int nameless_files() {
  int count = 0;
  for (const auto& fd : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string file = std::filesystem::read_symlink(fd, gone).string();
    if (file.ends_with(" (deleted)")) ++count;
  }
  return count;
}

template <typename Condition>
bool becomes(const Condition& condition) {
  for (int i = 0; i < 500 && !condition(); ++i) std::this_thread::sleep_for(milliseconds(10));
  return condition();
}

}  // namespace

TEST_CASE("what is sent before there is a connection arrives in order, big data too") {
  const Listener listener;
  Lines told;
  auto peer = HprofPeer::start(
      listener.address, [](HprofCommand) {}, told.report());
  REQUIRE(peer);
  (*peer)->send("head ");
  const std::string big(3 << 20, 'x');
  (*peer)->send(big);
  (*peer)->send(" end");
  const FileDescriptor other = listener.accept();
  const std::string got = receive(other.get(), big.size() + 9);
  CHECK(got == "head " + big + " end");
  CHECK((*peer)->finish(milliseconds(1000), milliseconds(5000)));
  CHECK(told.empty());
}

TEST_CASE("commands come in one at a time, and no more are read meanwhile") {
  const Listener listener;
  Lines told;
  const auto commands = std::make_shared<std::atomic<int>>(0);
  std::atomic<int>& seen = *commands;
  auto peer = HprofPeer::start(
      listener.address, [commands](HprofCommand command) { *commands += command.tag; },
      told.report());
  REQUIRE(peer);
  const FileDescriptor other = listener.accept();
  const Bytes gc = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  Bytes many;
  for (int i = 0; i < 1'000'000; ++i) many.insert(many.end(), gc.begin(), gc.end());
  std::size_t sent = 0;
  for (int quiet = 0; quiet < 20 && sent < many.size();) {
    const ssize_t n =
        send(other.get(), many.data() + sent, many.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) sent += static_cast<std::size_t>(n);
    quiet = n > 0 ? 0 : quiet + 1;
    if (n <= 0) std::this_thread::sleep_for(milliseconds(10));
  }
  CHECK(sent < many.size());
  for (int done = 1; done < 1000; ++done) {  // more than are received at once
    REQUIRE(becomes([&] { return seen == done; }));
    (*peer)->command_done();
  }
}

TEST_CASE("a peer that cannot be reached, or leaves, is told of once and nobody waits for it") {
  Lines nobody;
  Address closed;
  {
    const Listener gone;
    closed = gone.address;
  }
  auto none = HprofPeer::start(
      closed, [](HprofCommand) {}, nobody.report());
  REQUIRE(none);
  CHECK(nobody.wait() == "cannot connect to " + to_string(closed) +
                             ": Connection refused; nothing is sent any more, the program goes on");
  CHECK_FALSE((*none)->connected_or_connecting());
  CHECK_FALSE((*none)->finish(milliseconds(1000), milliseconds(5000)));
  (*none)->send("dropped");

  const Listener listener;
  Lines left;
  auto peer = HprofPeer::start(
      listener.address, [](HprofCommand) {}, left.report());
  REQUIRE(peer);
  (*peer)->send("x");
  {
    const FileDescriptor other = listener.accept();
    CHECK(receive(other.get(), 1) == "x");
  }
  // It might only have stopped sending: its end shows when something is sent.
  CHECK(becomes([&] {
    (*peer)->send("x");
    return !left.empty();
  }));
  CHECK_FALSE((*peer)->connected_or_connecting());
}

TEST_CASE("who sends no more gets the stream nevertheless, and nobody spins until it has gone") {
  const Listener listener;
  Lines told;
  const auto seen = std::make_shared<std::atomic<int>>(0);
  auto peer = HprofPeer::start(
      listener.address, [seen](HprofCommand) { ++*seen; }, told.report());
  REQUIRE(peer);
  FileDescriptor other = listener.accept();
  (*peer)->send("x");
  REQUIRE(receive(other.get(), 1) ==
          "x");  // it is known who listens: that asks for both directions
  const Bytes gc = {1, 0, 0, 0, 0, 0, 0, 0, 0};
  REQUIRE(send(other.get(), gc.data(), gc.size(), MSG_NOSIGNAL) == 9);
  REQUIRE(shutdown(other.get(), SHUT_WR) == 0);
  REQUIRE(becomes([&] { return *seen == 1; }));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(milliseconds(200));
  (*peer)->command_done();
  std::this_thread::sleep_for(milliseconds(200));
  CHECK(std::clock() - before < CLOCKS_PER_SEC / 5);
  const std::string big(3 << 20, 'x');
  (*peer)->send(big);
  CHECK(receive(other.get(), big.size()) == big);
  CHECK(told.empty());
  const linger hard{1, 0};
  REQUIRE(setsockopt(other.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard) == 0);
  other.reset();
  CHECK(told.wait().find("closed the connection") != std::string::npos);
}

TEST_CASE("a peer on this machine is checked whatever name leads to it") {
  const Listener listener;
  Address any = listener.address;
  any.host = "0.0.0.0";  // no loopback address, and leads to one
  Lines told;
  auto peer = HprofPeer::start(
      any, [](HprofCommand) {}, told.report());
  REQUIRE(peer);
  (*peer)->send("x");
  CHECK_FALSE((*peer)->finish(milliseconds(300), milliseconds(300)));  // nobody has accepted it yet
  const FileDescriptor other = listener.accept();
  CHECK(receive(other.get(), 1) == "x");
  CHECK(told.empty());
}

TEST_CASE("what a peer has left unread is freed when it leaves") {
  const Listener listener;
  Lines told;
  const int before = nameless_files();
  auto peer = HprofPeer::start(
      listener.address, [](HprofCommand) {}, told.report());
  REQUIRE(peer);
  {
    // Accepted first: a peer that is not accepted is given up, and storing takes its time.
    const FileDescriptor other = listener.accept();
    (*peer)->send(std::string(32 << 20, 'x'));  // more than socket buffers take
    CHECK(nameless_files() > before);
    CHECK(told.empty());
  }
  CHECK_FALSE(told.wait().empty());
  CHECK(becomes([before] { return nameless_files() <= before; }));
}

TEST_CASE("no command is taken while more than a bound is unread") {
  const Listener listener;
  const auto seen = std::make_shared<std::atomic<int>>(0);
  Lines told;
  auto peer = HprofPeer::start(
      listener.address, [seen](HprofCommand) { ++*seen; }, told.report());
  REQUIRE(peer);
  const FileDescriptor other = listener.accept();
  constexpr std::size_t kSize = HprofPeer::kMostUnread + (std::size_t{1} << 20);
  FileDescriptor file(memfd_create("dump", MFD_CLOEXEC));
  REQUIRE(ftruncate(file.get(), static_cast<off_t>(kSize)) == 0);
  (*peer)->send(std::make_shared<StoredData>(std::move(file), kSize));
  const Bytes dump_heap = {2, 0, 0, 0, 0, 0, 0, 0, 0};
  REQUIRE(send(other.get(), dump_heap.data(), dump_heap.size(), MSG_NOSIGNAL) == 9);
  std::this_thread::sleep_for(milliseconds(100));
  CHECK(*seen == 0);
  CHECK(receive(other.get(), kSize).size() == kSize);
  CHECK(becomes([&] { return *seen == 1; }));
}

TEST_CASE("the end waits no longer than its limits for a peer that takes nothing") {
  const Listener listener;
  Lines told;
  auto peer = HprofPeer::start(
      listener.address, [](HprofCommand) {}, told.report());
  REQUIRE(peer);
  const FileDescriptor other = listener.accept();
  (*peer)->send(std::string(32 << 20, 'x'));  // more than socket buffers take
  CHECK_FALSE((*peer)->finish(milliseconds(300), milliseconds(2000)));
}

}  // namespace ddm
