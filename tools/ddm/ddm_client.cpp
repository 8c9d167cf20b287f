#include "ddm_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "ddm/fail.h"
#include "ddm/zlib_chunk.h"
#include "sockets/connect.h"

namespace ddm {
namespace {

constexpr std::size_t kMaxChunks = 1024;

int remaining_millis(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

Result<Chunk> unpacked(const ChunkView& view) {
  if (view.type == kZlibType) return expand_chunk(view.data, kMaxOutgoingPacket);
  return Chunk{view.type, Bytes(view.data.begin(), view.data.end())};
}

}  // namespace

DdmClient::DdmClient(FileDescriptor socket, std::string name)
    : socket_(std::move(socket)), name_(std::move(name)) {}

Result<DdmClient> DdmClient::connect(const Address& address) {
  auto socket = connect_to(address, kConnectTime);
  if (!socket) return socket.error();
  DdmClient client(std::move(*socket), to_string(address));
  if (auto error = client.shake_hands()) return std::move(*error);
  return client;
}

std::optional<Error> DdmClient::shake_hands() {
  const ByteSpan greeting(reinterpret_cast<const std::uint8_t*>(kHandshake.data()),
                          kHandshake.size());
  if (auto error = send(greeting, kConnectTime)) return error;
  const Clock::time_point deadline = Clock::now() + kConnectTime;
  std::array<std::uint8_t, kHandshake.size()> echo{};
  for (std::size_t have = 0; have < echo.size();) {
    pollfd polled{socket_.get(), POLLIN, 0};
    const int ready = poll(&polled, 1, remaining_millis(deadline));
    if (ready == 0) return Error{name_ + " does not answer the handshake"};
    const ssize_t size = recv(socket_.get(), echo.data() + have, echo.size() - have, 0);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) {
      return Error{name_ +
                   " has closed the connection before the handshake; are you the user of "
                   "that program?"};
    }
    have += static_cast<std::size_t>(size);
  }
  if (!std::equal(echo.begin(), echo.end(), greeting.begin())) {
    return Error{name_ + " is no DDM port: it answered something else than the handshake"};
  }
  return {};
}

std::optional<Error> DdmClient::send(ByteSpan data, std::chrono::milliseconds silence) {
  Clock::time_point deadline = Clock::now() + silence;
  while (!data.empty()) {
    const ssize_t size = ::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (size > 0) {
      data = data.subspan(static_cast<std::size_t>(size));
      deadline = Clock::now() + silence;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno_error("writing to " + name_);
    pollfd polled{socket_.get(), POLLOUT, 0};
    if (poll(&polled, 1, remaining_millis(deadline)) == 0) return silent(silence);
  }
  return {};
}

Result<bool> DdmClient::receive(Clock::time_point deadline) {
  std::array<std::uint8_t, 65536> buffer;
  for (;;) {
    const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size > 0) {
      reader_.append(ByteSpan(buffer).first(static_cast<std::size_t>(size)));
      received_ += static_cast<std::size_t>(size);
      if (progress_) progress_(received_);
      return true;
    }
    if (size == 0) return Error{name_ + " has closed the connection"};
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno_error("reading from " + name_);
    pollfd polled{socket_.get(), POLLIN, 0};
    if (poll(&polled, 1, remaining_millis(deadline)) == 0) return false;
  }
}

void DdmClient::keep_events(const Packet& packet) {
  if (!packet.header.is_ddm_command()) return;
  const auto chunks = split_chunks(packet.payload(), kMaxChunks);
  if (!chunks) return;
  for (const ChunkView& view : *chunks) {
    if (auto chunk = unpacked(view)) events_.push_back(std::move(*chunk));
  }
}

Result<Chunk> DdmClient::ask(Chunk question, std::chrono::milliseconds silence) {
  const std::string name = chunk_name(question.type);
  const std::uint32_t id = ++last_id_;
  received_ = 0;
  if (auto error = send(command_packet(id, std::move(question)).flatten(), silence)) {
    return std::move(*error);
  }
  for (;;) {
    while (const auto packet = reader_.next()) {
      if (!packet->header.is_reply() || packet->header.id != id) {
        keep_events(*packet);
        continue;
      }
      if (packet->header.error() != kErrorNone) {
        return Error{"the target answered " + name + " with JDWP error " +
                     std::to_string(packet->header.error())};
      }
      const auto chunks = split_chunks(packet->payload(), kMaxChunks);
      if (!chunks) return Error{"the target's answer to " + name + " is no chunk"};
      if (chunks->empty()) return Chunk{};
      return unpacked(chunks->front());
    }
    if (reader_.error()) return Error{name_ + ": " + reader_.error()->message};
    auto more = receive(Clock::now() + silence);
    if (!more) return more.error();
    if (!*more) return silent(silence);
  }
}

Result<Chunk> DdmClient::request(Chunk question, std::chrono::milliseconds silence) {
  const std::string name = chunk_name(question.type);
  auto answer = ask(std::move(question), silence);
  if (!answer || answer->type != Fail::kType) return answer;
  const auto fail = Fail::decode(answer->data);
  return Error{"the target refused " + name + ": " +
               (fail && !fail->message.empty() ? fail->message : "it does not say why")};
}

std::optional<Error> DdmClient::listen(std::chrono::milliseconds time) {
  const Clock::time_point deadline = Clock::now() + time;
  for (;;) {
    while (const auto packet = reader_.next()) keep_events(*packet);
    if (reader_.error()) return Error{name_ + ": " + reader_.error()->message};
    auto more = receive(deadline);
    if (!more) return more.error();
    if (!*more) return {};
  }
}

Error DdmClient::unexpected(const Chunk& answer) {
  if (answer.type == 0) return {"the target has no answer to that"};
  return {"the target answered with " + chunk_name(answer.type) + " of " +
          std::to_string(answer.data.size()) + " bytes, which makes no sense here"};
}

Error DdmClient::silent(std::chrono::milliseconds silence) const {
  return {name_ + " has said nothing for " +
          std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silence).count()) + " s"};
}

}  // namespace ddm
