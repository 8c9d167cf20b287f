#include "wire/sockets/listener.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "temporary_directory.h"
#include "wire/sockets/socket_address.h"

using ddm::Address;
using ddm::Listener;

namespace {

bool can_connect(const Address& address) {
  const auto names = ddm::resolve(address);
  const ddm::FileDescriptor fd(socket(names->front().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  return connect(fd.get(), names->front().raw(), names->front().length) == 0;
}

Address unix_at(const std::string& path) { return {Address::Kind::kUnix, "", 0, path}; }

}  // namespace

TEST_CASE("Port 0 binds a free loopback port and says which") {
  const auto listener = Listener::open({});
  REQUIRE(listener);
  CHECK(listener->bound().host == "127.0.0.1");
  CHECK(listener->bound().port != 0);
  CHECK(can_connect(listener->bound()));
}

TEST_CASE("A taken port gives an error that names it and the way out") {
  const auto first = Listener::open({});
  REQUIRE(first);
  const auto second = Listener::open(first->bound());
  REQUIRE_FALSE(second.ok());
  CHECK(second.message().find(to_string(first->bound())) != std::string::npos);
  CHECK(second.message().find("in use") != std::string::npos);
  CHECK(second.message().find("0 for any free one") != std::string::npos);
}

TEST_CASE("A foreign address gives an error") {
  const auto listener = Listener::open({Address::Kind::kTcp, "192.0.2.1", 0, ""});
  REQUIRE_FALSE(listener.ok());
  CHECK(listener.message().find("192.0.2.1") != std::string::npos);
}

TEST_CASE("Scan takes the first free port of the range, each listener its own") {
  const auto first = Listener::open({Address::Kind::kScan, "", 0, ""});
  const auto second = Listener::open({Address::Kind::kScan, "", 0, ""});
  REQUIRE(first);
  REQUIRE(second);
  CHECK(first->bound().port >= ddm::kFirstScanPort);
  CHECK(second->bound().port > first->bound().port);
  CHECK(second->bound().port <= ddm::kLastScanPort);
  CHECK(is_loopback(second->bound()));
}

TEST_CASE("Scan with every port taken gives an error") {
  std::vector<Listener> all;
  while (true) {
    auto listener = Listener::open({Address::Kind::kScan, "", 0, ""});
    if (!listener) {
      CHECK(listener.message().find("8000-8040") != std::string::npos);
      break;
    }
    all.push_back(std::move(*listener));
    REQUIRE(all.size() <= 41);
  }
}

TEST_CASE("A listening socket is non-blocking and not inherited") {
  const auto listener = Listener::open({});
  REQUIRE(listener);
  CHECK((fcntl(listener->fd(), F_GETFL) & O_NONBLOCK) != 0);
  CHECK((fcntl(listener->fd(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("A Unix socket is for its owner alone and goes with its listener") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / "socket";
  const mode_t before = umask(0);
  {
    const auto listener = Listener::open(unix_at(path));
    REQUIRE(listener);
    struct stat status {};
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(can_connect(listener->bound()));
    CHECK(to_string(listener->bound()) == "unix:" + path);
  }
  umask(before);
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("A Unix socket in use is left alone, a dead one is replaced") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / "socket";
  {
    const auto first = Listener::open(unix_at(path));
    REQUIRE(first);
    const auto second = Listener::open(unix_at(path));
    REQUIRE_FALSE(second.ok());
    CHECK(second.message().find(path) != std::string::npos);
    CHECK(can_connect(first->bound()));
    REQUIRE(link(path.c_str(), (path + ".kept").c_str()) == 0);
  }
  REQUIRE(rename((path + ".kept").c_str(), path.c_str()) == 0);  // as after a kill
  const auto third = Listener::open(unix_at(path));
  REQUIRE(third);
  CHECK(can_connect(third->bound()));
}

TEST_CASE("Whoever finds the path of a Unix socket can connect") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / "socket";
  for (int round = 0; round < 1000; ++round) {
    bool connected = false;
    std::thread waiting([&] {
      while (access(path.c_str(), F_OK) != 0) {
      }
      connected = can_connect(unix_at(path));
    });
    const auto listener = Listener::open(unix_at(path));
    waiting.join();
    REQUIRE(listener);
    REQUIRE(connected);
  }
  CHECK(std::filesystem::is_empty(directory.path()));
}

TEST_CASE("A Unix socket may have the longest path there is") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / std::string(106 - directory.path().size(), 'x');
  REQUIRE(path.size() == sizeof(sockaddr_un::sun_path) - 1);
  const auto listener = Listener::open(unix_at(path));
  REQUIRE(listener);
  CHECK(can_connect(listener->bound()));
}

TEST_CASE("%p in the path of a Unix socket is the pid, and the whole must fit") {
  const ddm::TemporaryDirectory directory;
  const std::string begin = directory / "s-";
  const auto listener = Listener::open(unix_at(begin + "%p-%%"));
  REQUIRE(listener);
  CHECK(listener->bound().path == begin + std::to_string(getpid()) + "-%");
  CHECK(can_connect(listener->bound()));
  std::string longest = begin + "%t";  // 15 characters
  longest.append(sizeof(sockaddr_un::sun_path) - 1 - longest.size(), 'x');
  const auto too_long = Listener::open(unix_at(longest));
  REQUIRE_FALSE(too_long);
  CHECK(too_long.message().find("File name too long") != std::string::npos);
}

TEST_CASE("A path that is no socket is neither replaced nor removed") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / "file";
  std::ofstream(path) << "precious";
  const auto listener = Listener::open(unix_at(path));
  REQUIRE_FALSE(listener.ok());
  CHECK(std::filesystem::file_size(path) == 8);
}

TEST_CASE("A listener does not remove a path that another one has taken over") {
  const ddm::TemporaryDirectory directory;
  const std::string path = directory / "socket";
  auto first = Listener::open(unix_at(path));
  REQUIRE(first);
  REQUIRE(unlink(path.c_str()) == 0);
  const auto second = Listener::open(unix_at(path));
  REQUIRE(second);
  { const Listener gone = std::move(*first); }
  CHECK(can_connect(second->bound()));
}

TEST_CASE("A Unix socket in a missing directory gives an error with the path") {
  const auto listener = Listener::open(unix_at("/no/such/directory/socket"));
  REQUIRE_FALSE(listener.ok());
  CHECK(listener.message().find("/no/such/directory/socket") != std::string::npos);
}
