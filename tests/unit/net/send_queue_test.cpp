#include "net/send_queue.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "sockets/file_descriptor.h"

using namespace ddm;  // NOLINT: a test of one part

namespace {

struct Pair {
  Pair() {
    int fds[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) == 0);
    near = FileDescriptor(fds[0]);
    far = FileDescriptor(fds[1]);
  }
  Bytes read_all() {
    Bytes all;
    std::uint8_t buffer[4096];
    for (ssize_t size; (size = read(far.get(), buffer, sizeof buffer)) > 0;) {
      all.insert(all.end(), buffer, buffer + size);
    }
    return all;
  }
  FileDescriptor near;
  FileDescriptor far;
};

const Bytes kGreeting{'h', 'i'};

OutgoingPacket packet(std::initializer_list<Bytes> pieces) { return {pieces}; }

}  // namespace

TEST_CASE("Nothing is queued before the greeting or after the end") {
  Pair pair;
  SendQueue queue(100);
  CHECK(queue.push(packet({{1}})) == SendQueue::Push::kDropped);
  CHECK_FALSE(queue.is_open());
  queue.open(kGreeting);
  CHECK(queue.is_open());
  CHECK(queue.push(packet({{2}})) == SendQueue::Push::kQueued);
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kEmpty);
  CHECK(pair.read_all() == Bytes{'h', 'i', 2});
  queue.push(packet({{3}}));
  queue.close();
  CHECK_FALSE(queue.is_open());
  CHECK(queue.push(packet({{4}})) == SendQueue::Push::kDropped);
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kEmpty);
  CHECK(pair.read_all().empty());
  queue.open(kGreeting);
  CHECK_FALSE(queue.is_open());
}

TEST_CASE("Packets of many pieces arrive whole and in order through a narrow socket") {
  Pair pair;
  const int small = 4096;
  setsockopt(pair.near.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  SendQueue queue(std::size_t{1} << 30);
  queue.open({});
  Bytes expected;
  for (int i = 0; i < 300; ++i) {
    OutgoingPacket one;
    for (int piece = 0; piece < i % 5 + 1; ++piece) {
      Bytes bytes(static_cast<std::size_t>(i) * 7, static_cast<std::uint8_t>(i + piece));
      bytes.push_back(static_cast<std::uint8_t>(piece));
      expected.insert(expected.end(), bytes.begin(), bytes.end());
      one.pieces.push_back(std::move(bytes));
    }
    REQUIRE(queue.push(std::move(one)) == SendQueue::Push::kQueued);
  }
  Bytes received;
  int blocked = 0;
  while (queue.drain(pair.near.get()) == SendQueue::Drain::kBlocked) {
    ++blocked;
    const Bytes part = pair.read_all();
    received.insert(received.end(), part.begin(), part.end());
  }
  const Bytes part = pair.read_all();
  received.insert(received.end(), part.begin(), part.end());
  CHECK(blocked > 1);
  CHECK(received == expected);
}

TEST_CASE("One packet bigger than the bound fits, a heap of small ones does not") {
  SendQueue queue(100);
  queue.open(kGreeting);
  CHECK(queue.push(packet({Bytes(1000)})) == SendQueue::Push::kQueued);
  CHECK(queue.push(packet({{1}})) == SendQueue::Push::kOverflow);

  SendQueue small(100);
  small.open(kGreeting);
  int queued = 0;
  while (small.push(packet({Bytes(10)})) == SendQueue::Push::kQueued) ++queued;
  CHECK(queued == 11);
}

TEST_CASE("The packet being written does not count against the bound") {
  Pair pair;
  SendQueue queue(100);
  queue.open(kGreeting);
  REQUIRE(queue.push(packet({Bytes(1 << 22)})) == SendQueue::Push::kQueued);
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kBlocked);
  CHECK(queue.push(packet({Bytes(100)})) == SendQueue::Push::kQueued);
  CHECK(queue.push(packet({Bytes(100)})) == SendQueue::Push::kQueued);
  CHECK(queue.push(packet({Bytes(100)})) == SendQueue::Push::kOverflow);
  Bytes all;
  while (queue.drain(pair.near.get()) == SendQueue::Drain::kBlocked) {
    const Bytes part = pair.read_all();
    all.insert(all.end(), part.begin(), part.end());
  }
  const Bytes part = pair.read_all();
  CHECK(all.size() + part.size() == 2 + (1 << 22) + 200);
  CHECK(queue.push(packet({Bytes(100)})) == SendQueue::Push::kQueued);
}

TEST_CASE("A peer that is gone breaks the queue without a signal") {
  Pair pair;
  SendQueue queue(100);
  queue.open(kGreeting);
  pair.far.reset();
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kBroken);
}
