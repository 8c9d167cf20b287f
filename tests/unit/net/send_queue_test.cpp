#include "wire/sessions/send_queue.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "core/file_descriptor.h"

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

OutgoingPacket packet(std::initializer_list<Bytes> pieces) {
  return {{pieces.begin(), pieces.end()}};
}

}  // namespace

TEST_CASE("Nothing is queued before the greeting or after the end") {
  Pair pair;
  SendQueue queue(100, 25);
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

TEST_CASE("A finishing queue sends what it has and takes nothing more") {
  Pair pair;
  const int small = 4096;
  setsockopt(pair.near.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  constexpr std::size_t kSize = 1'000'000;
  SendQueue queue(2 * kSize, 2 * kSize);
  queue.finish();  // without effect before it is open
  queue.open({});
  REQUIRE(queue.push(packet({Bytes(kSize, 1)})) == SendQueue::Push::kQueued);
  queue.finish();
  CHECK_FALSE(queue.is_open());
  CHECK_FALSE(queue.wait_for_room(std::chrono::seconds(10)));
  CHECK(queue.push(packet({{2}})) == SendQueue::Push::kDropped);
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kBlocked);
  Bytes all = pair.read_all();
  while (queue.drain(pair.near.get()) != SendQueue::Drain::kFinished) {
    const Bytes part = pair.read_all();
    all.insert(all.end(), part.begin(), part.end());
  }
  const Bytes part = pair.read_all();
  all.insert(all.end(), part.begin(), part.end());
  CHECK(all == Bytes(kSize, 1));
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kFinished);
  queue.close();
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kEmpty);
}

TEST_CASE("Packets of many pieces arrive whole and in order through a narrow socket") {
  Pair pair;
  const int small = 4096;
  setsockopt(pair.near.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  SendQueue queue(std::size_t{1} << 30, 1);
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
  SendQueue queue(100, 25);
  queue.open(kGreeting);
  CHECK(queue.push(packet({Bytes(1000)})) == SendQueue::Push::kQueued);
  CHECK(queue.push(packet({{1}})) == SendQueue::Push::kOverflow);

  SendQueue small(100, 25);
  small.open(kGreeting);
  int queued = 0;
  while (small.push(packet({Bytes(10)})) == SendQueue::Push::kQueued) ++queued;
  CHECK(queued == 10);
}

TEST_CASE("What is stored does not count against the bound, leaves no room, and arrives in order") {
  Pair pair;
  SendQueue queue(100, 50);
  queue.open(kGreeting);
  CHECK(queue.wait_for_room(std::chrono::milliseconds(0)));
  constexpr std::size_t kSize = 5'000'000;
  OutgoingPacket big{{Bytes{1}, *StoredData::of(Bytes(kSize, 7)), Bytes{2}}};
  REQUIRE(queue.push(std::move(big)) == SendQueue::Push::kQueued);
  REQUIRE(queue.push(packet({{3}})) == SendQueue::Push::kQueued);
  CHECK(queue.waiting()->stored == kSize);
  CHECK_FALSE(queue.has_room_again());
  CHECK_FALSE(queue.wait_for_room(std::chrono::milliseconds(0)));
  Bytes all;
  int turns = 0;
  while (queue.drain(pair.near.get()) != SendQueue::Drain::kEmpty) {
    const Bytes part = pair.read_all();
    all.insert(all.end(), part.begin(), part.end());
    ++turns;
  }
  const Bytes part = pair.read_all();
  all.insert(all.end(), part.begin(), part.end());
  CHECK(turns > 3);  // others had theirs
  Bytes expected{'h', 'i', 1};
  expected.insert(expected.end(), kSize, 7);
  expected.insert(expected.end(), {2, 3});
  CHECK(all == expected);
  CHECK(queue.has_room_again());
  CHECK_FALSE(queue.has_room_again());  // says so once
  CHECK_FALSE(queue.waiting());
}

TEST_CASE("A queue knows when its peer last took something") {
  Pair pair;
  SendQueue queue(std::size_t{1} << 24, 100);
  queue.open({});
  CHECK_FALSE(queue.waiting());
  queue.push(packet({Bytes(4'000'000)}));
  const auto begin = queue.waiting()->last_progress;
  while (queue.drain(pair.near.get()) != SendQueue::Drain::kBlocked) continue;
  const auto blocked = queue.waiting()->last_progress;
  CHECK(blocked > begin);
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kBlocked);
  queue.push(packet({{1}}));
  CHECK(queue.waiting()->last_progress == blocked);
}

TEST_CASE("A peer that is gone breaks the queue without a signal") {
  Pair pair;
  SendQueue queue(100, 25);
  queue.open(kGreeting);
  pair.far.reset();
  CHECK(queue.drain(pair.near.get()) == SendQueue::Drain::kBroken);
}
