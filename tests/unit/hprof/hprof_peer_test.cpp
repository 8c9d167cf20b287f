#include "adapters/hprof/hprof_peer.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
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

TEST_CASE("commands come in, and no more are read while too many wait") {
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
  for (int i = 0; i < 100'000; ++i) many.insert(many.end(), gc.begin(), gc.end());
  std::size_t sent = 0;
  for (int quiet = 0; quiet < 20 && sent < many.size();) {
    const ssize_t n =
        send(other.get(), many.data() + sent, many.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) sent += static_cast<std::size_t>(n);
    quiet = n > 0 ? 0 : quiet + 1;
    if (n <= 0) std::this_thread::sleep_for(milliseconds(10));
  }
  for (int i = 0; i < 1000 && seen < 16; ++i) std::this_thread::sleep_for(milliseconds(10));
  std::this_thread::sleep_for(milliseconds(50));
  CHECK(seen >= 16);
  CHECK(seen < 16 + 4096 / 9 + 1);  // one buffer at most is begun
  const int before = seen;
  for (int i = 0; i < before; ++i) (*peer)->command_done();
  for (int i = 0; i < 500 && seen == before; ++i) std::this_thread::sleep_for(milliseconds(10));
  CHECK(seen > before);
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
  CHECK(nobody.wait().find("Connection refused") != std::string::npos);
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
  CHECK(left.wait().find("closed the connection") != std::string::npos);
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
