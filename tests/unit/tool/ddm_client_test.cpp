// What a VM may do to those who ask it.
#include "ddm_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "report_fetch.h"
#include "wire/chunks/report_chunk.h"
#include "wire/sockets/listener.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

constexpr ChunkType kQuestion = chunk_type("QUES");
constexpr DdmClient::Bounds kTight{std::chrono::seconds(30), std::chrono::seconds(1), 1 << 20};

// Greets one client, then sends `answer` again and again, a pause between, until it has gone.
class HostileVm {
 public:
  HostileVm(Bytes answer, std::chrono::milliseconds pause)
      : answer_(std::move(answer)), pause_(pause), listener_(std::move(*Listener::open({}))) {
    thread_ = std::thread([this] { serve(); });
  }
  ~HostileVm() {
    stop_ = true;
    thread_.join();
  }
  const Address& address() const { return listener_.bound(); }

 private:
  void serve() {
    pollfd ready{listener_.fd(), POLLIN, 0};
    while (!stop_ && poll(&ready, 1, 50) == 0) {
    }
    const FileDescriptor fd(accept(listener_.fd(), nullptr, nullptr));
    send(fd.get(), kHandshake.data(), kHandshake.size(), MSG_NOSIGNAL);
    std::size_t at = 0;
    while (!stop_) {
      const ssize_t sent =
          send(fd.get(), answer_.data() + at, pause_.count() > 0 ? 1 : answer_.size() - at,
               MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && errno != EAGAIN) return;
      if (sent > 0) at = (at + static_cast<std::size_t>(sent)) % answer_.size();
      std::this_thread::sleep_for(pause_);
    }
  }

  Bytes answer_;
  std::chrono::milliseconds pause_;
  Listener listener_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

std::string asked(HostileVm& vm) {
  auto client = DdmClient::connect(vm.address());
  REQUIRE(client);
  const auto answer = client->ask({kQuestion, {}}, kTight);
  REQUIRE_FALSE(answer);
  return answer.message();
}

}  // namespace

TEST_CASE("A VM that sends events without end is given up") {
  HostileVm vm(command_packet(kVmIdBit | 1, {chunk_type("EVNT"), Bytes(1000)}).flatten(),
               std::chrono::milliseconds(0));
  CHECK_THAT(asked(vm), Catch::Matchers::Contains("more than 1.0 MiB"));
}

TEST_CASE("A VM whose packet never ends is given up") {
  Bytes endless = command_packet(kVmIdBit | 1, {chunk_type("EVNT"), Bytes(8 << 20)}).flatten();
  HostileVm vm(std::move(endless), std::chrono::milliseconds(0));
  CHECK_THAT(asked(vm), Catch::Matchers::Contains("more than 1.0 MiB"));
}

TEST_CASE("A VM that answers a byte at a time is given up") {
  HostileVm vm(command_packet(kVmIdBit | 1, {chunk_type("EVNT"), Bytes(1000)}).flatten(),
               std::chrono::milliseconds(20));
  CHECK_THAT(asked(vm), Catch::Matchers::Contains("within 1 s"));
}

TEST_CASE("A VM whose summary is small only while it is packed is given up") {
  ReportPacker packer(std::size_t{1} << 20);
  packer.add(std::string((std::size_t{32} << 20) + 1, ' '));
  auto bomb = packer.finish();
  REQUIRE(bomb);
  REQUIRE_FALSE(bomb->stored);
  std::vector<Chunk> answer;
  answer.push_back(std::move(*bomb));
  HostileVm vm(reply_packet(1, std::move(answer)).flatten(), std::chrono::milliseconds(0));
  auto client = DdmClient::connect(vm.address());
  REQUIRE(client);
  const auto summary = fetch_summary(*client);
  REQUIRE_FALSE(summary);
  CHECK(summary.message() == "the report unpacks to more than 32 MiB");
}
