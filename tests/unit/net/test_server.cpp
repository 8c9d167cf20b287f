#include "test_server.h"

#include <dirent.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "wire/sockets/socket_address.h"

namespace ddm {

ThreadExecutor::ThreadExecutor() {
  quick_.thread = std::thread([this] { quick_.work(); });
  slow_.thread = std::thread([this] { slow_.work(); });
}

ThreadExecutor::~ThreadExecutor() {
  for (Worker* worker : {&quick_, &slow_}) {
    {
      const std::lock_guard lock(worker->mutex);
      worker->stopping = true;
    }
    worker->changed.notify_all();
    worker->thread.join();
  }
}

void ThreadExecutor::run(Lane lane, const SessionPtr&, std::function<void()> task) {
  Worker& worker = lane == Lane::kSlow ? slow_ : quick_;
  {
    const std::lock_guard lock(worker.mutex);
    worker.tasks.push_back(std::move(task));
  }
  worker.changed.notify_all();
}

void ThreadExecutor::Worker::work() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return stopping || !tasks.empty(); });
    if (stopping) return;
    const auto task = std::move(tasks.front());
    tasks.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

TestClient::TestClient(const Address& address) {
  const auto names = resolve(address);
  if (!names) return;  // no REQUIRE: clients also live on threads of their own
  socket_ = FileDescriptor(socket(names->front().family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval patience{10, 0};
  setsockopt(fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  connected_ = connect(fd(), names->front().raw(), names->front().length) == 0;
}

bool TestClient::send(ByteSpan data) {
  while (!data.empty()) {
    const ssize_t size = ::send(fd(), data.data(), data.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    data = data.subspan(static_cast<std::size_t>(size));
  }
  return true;
}

bool TestClient::send_text(std::string_view text) {
  return send({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

bool TestClient::send_request(std::uint32_t id, Chunk chunk) {
  return send(command_packet(id, std::move(chunk)).flatten());
}

bool TestClient::shake_hands() {
  if (!send_text(kHandshake)) return false;
  const Bytes echo = read(kHandshake.size());
  return std::string_view(reinterpret_cast<const char*>(echo.data()), echo.size()) == kHandshake;
}

Bytes TestClient::read(std::size_t size) {
  Bytes all(size);
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = recv(fd(), all.data() + have, size - have, 0);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  all.resize(have);
  return all;
}

std::optional<Packet> TestClient::read_packet() {
  PacketReader reader(kMaxOutgoingPacket);
  const Bytes header = read(kPacketHeaderSize);
  if (header.size() < kPacketHeaderSize) return {};
  reader.append(header);
  ByteReader in(header);
  const std::size_t rest = in.u4() - kPacketHeaderSize;
  reader.append(read(rest));
  return reader.next();
}

std::optional<Packet> TestClient::read_reply() {
  while (auto packet = read_packet()) {
    if (packet->header.is_reply()) return packet;
    events.push_back(std::move(*packet));
  }
  return {};
}

std::optional<Packet> TestClient::request(std::uint32_t id, Chunk chunk) {
  if (!send_request(id, std::move(chunk))) return {};
  return read_reply();
}

bool TestClient::at_end() {
  std::uint8_t byte = 0;
  const ssize_t size = recv(fd(), &byte, 1, 0);
  return size == 0 || (size < 0 && errno == ECONNRESET);
}

std::vector<Chunk> chunks_of(const Packet& packet) {
  std::vector<Chunk> result;
  const auto views = split_chunks(packet.payload(), 10000);
  REQUIRE(views);
  for (const ChunkView& view : *views) {
    result.push_back({view.type, Bytes(view.data.begin(), view.data.end())});
  }
  return result;
}

TestServer::TestServer(ServerOptions options) {
  const auto echo = [](const Request& request, Reply reply) {
    reply.send(Chunk{request.type, request.data});
  };
  dispatcher_.add(kEcho, Lane::kInline, echo);
  dispatcher_.add(kQuick, Lane::kQuick, echo);
  dispatcher_.add(kSlow, Lane::kSlow, [echo](const Request& request, Reply reply) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    echo(request, std::move(reply));
  });
  dispatcher_.add(kBig, Lane::kQuick, [](const Request& request, Reply reply) {
    ByteReader in(request.data);
    reply.send(Chunk{request.type, Bytes(in.u4(), 'b')});
  });
  options.log = [this](LogLevel, const std::string& text) {
    const std::lock_guard lock(mutex_);
    log_ += text + "\n";
  };
  auto loop = IoLoop::create(options.log);
  if (!loop) FAIL(loop.message());
  auto bound = Server::bind(std::move(options), dispatcher_, executor_, *loop);
  if (!bound) FAIL(bound.message());
  server_ = std::move(*bound);
  REQUIRE(server_->accept());
}

std::string TestServer::log() const {
  const std::lock_guard lock(mutex_);
  return log_;
}

bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 10'000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

int open_descriptors() {
  int count = 0;
  DIR* directory = opendir("/proc/self/fd");
  while (readdir(directory) != nullptr) ++count;
  closedir(directory);
  return count;
}

}  // namespace ddm
