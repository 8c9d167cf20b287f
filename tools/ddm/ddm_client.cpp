#include "ddm_client.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>

#include "containers/published.h"
#include "report/report_words.h"
#include "wire/chunks/fail.h"
#include "wire/chunks/hello.h"
#include "wire/chunks/zlib_chunk.h"

namespace ddm {
namespace {

constexpr std::size_t kMaxChunks = 1024;

int remaining_millis(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

Result<Chunk> unpacked(const ChunkView& view, std::size_t most) {
  if (view.type == kZlibType) return expand_chunk(view.data, most);
  return Chunk{view.type, Bytes(view.data.begin(), view.data.end())};
}

// The interval of the callbacks during a wait.
constexpr int kCallbackMillis = 200;

}  // namespace

DdmClient::DdmClient(FileDescriptor socket, std::string name)
    : socket_(std::move(socket)), name_(std::move(name)) {}

Result<DdmClient> DdmClient::connect(const TargetAddress& address, std::chrono::seconds patience) {
  auto socket = connect_to_target_at(address, patience);
  if (!socket) return socket.error();
  DdmClient client(std::move(*socket), to_string(address));
  if (auto error = client.shake_hands(patience)) return std::move(*error);
  return client;
}

std::optional<Error> DdmClient::shake_hands(std::chrono::seconds patience) {
  const ByteSpan greeting(reinterpret_cast<const std::uint8_t*>(kHandshake.data()),
                          kHandshake.size());
  if (auto error = send(greeting, patience)) return error;
  const Clock::time_point deadline = Clock::now() + patience;
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
    return Error{name_ + " is not a DDM port: it answered something other than the handshake"};
  }
  return {};
}

std::optional<Error> DdmClient::send(ByteSpan data, std::chrono::seconds silence) {
  Clock::time_point deadline = Clock::now() + silence;
  while (!data.empty()) {
    const ssize_t size = ::send(socket_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (size > 0) {
      data = data.subspan(static_cast<std::size_t>(size));
      deadline = Clock::now() + silence;
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return closed_error();
    if (errno != EAGAIN) return errno_error("writing to " + name_);
    pollfd polled{socket_.get(), POLLOUT, 0};
    if (poll(&polled, 1, remaining_millis(deadline)) == 0) return silence_error(silence);
  }
  return {};
}

Result<bool> DdmClient::receive(Clock::time_point deadline, std::size_t most) {
  std::array<std::uint8_t, 65536> buffer;
  for (;;) {
    const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
    if (size > 0) {
      reader_.append(ByteSpan(buffer).first(static_cast<std::size_t>(size)));
      received_ += static_cast<std::size_t>(size);
      if (progress_) progress_(received_);
      if (received_ > most) return size_error(most);
      return true;
    }
    if (size == 0 || errno == ECONNRESET) return closed_error();
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return errno_error("reading from " + name_);
    if (cancelled_ && cancelled_()) return Error{"ended before " + name_ + " has answered"};
    const int left = remaining_millis(deadline);
    pollfd polled{socket_.get(), POLLIN, 0};
    const int ready = poll(&polled, 1, std::min(left, kCallbackMillis));
    if (ready == 0 && left == 0) return false;
    if (ready == 0 && progress_) progress_(received_);
  }
}

// Each event costs memory beside its data; a stream of empty ones adds up as well.
std::optional<Error> DdmClient::keep_events(const Packet& packet, std::size_t most) {
  const auto chunks = split_chunks(packet.payload(), kMaxChunks);
  if (!chunks) return {};
  for (const ChunkView& view : *chunks) {
    const std::size_t room = most - std::min(most, kept_);
    auto chunk = unpacked(view, room);
    if (!chunk) continue;
    const std::size_t cost = sizeof(Chunk) + chunk->data.size();
    if (cost > room) return size_error(most);
    kept_ += cost;
    events_.push_back(std::move(*chunk));
  }
  return {};
}

std::deque<Chunk> DdmClient::take_events() {
  kept_ = 0;
  return std::exchange(events_, {});
}

bool DdmClient::offers(std::string_view feature) {
  if (!features_) {
    auto answer = get<Features>({Features::kType, {}});
    if (!answer) return false;
    features_ = std::move(answer->names);
  }
  return std::ranges::count(*features_, feature) > 0;
}

Result<Chunk> DdmClient::ask(Chunk question, const Bounds& bounds) {
  const std::string name = chunk_name(question.type);
  const std::uint32_t id = ++last_id_;
  const Clock::time_point end = Clock::now() + bounds.time;
  received_ = 0;
  if (auto error = send(command_packet(id, std::move(question)).flatten(), bounds.silence)) {
    return std::move(*error);
  }
  for (;;) {
    while (const auto packet = reader_.next()) {
      if (!packet->header.is_reply() || packet->header.id != id) {
        if (auto error = keep_events(*packet, bounds.bytes)) return std::move(*error);
        continue;
      }
      if (packet->header.error() != kErrorNone) {
        return Error{"the target answered " + name + " with JDWP error " +
                     std::to_string(packet->header.error())};
      }
      const auto chunks = split_chunks(packet->payload(), kMaxChunks);
      if (!chunks) return Error{"the target's answer to " + name + " is not a chunk"};
      if (chunks->empty()) return Chunk{};
      return unpacked(chunks->front(), bounds.bytes);
    }
    if (reader_.error()) return Error{name_ + ": " + reader_.error()->message};
    const Clock::time_point now = Clock::now();
    if (now >= end) {
      return Error{name_ + " has not answered " + name + " within " +
                   std::to_string(bounds.time.count()) + " s"};
    }
    const Clock::time_point silent_at = now + bounds.silence;
    auto more = receive(std::min(silent_at, end), bounds.bytes);
    if (!more) return more.error();
    if (!*more && silent_at < end) return silence_error(bounds.silence);
  }
}

Result<Chunk> DdmClient::request(Chunk question, const Bounds& bounds) {
  const std::string name = chunk_name(question.type);
  auto answer = ask(std::move(question), bounds);
  if (!answer || answer->type != Fail::kType) return answer;
  const auto fail = decode<Fail>(answer->data);
  if (fail && !fail->message.empty()) return Error{fail->message};
  return Error{"the target refused " + name + " and does not say why"};
}

std::optional<Error> DdmClient::listen(std::chrono::milliseconds time) {
  const Clock::time_point deadline = Clock::now() + time;
  received_ = 0;
  for (;;) {
    while (const auto packet = reader_.next()) {
      if (auto error = keep_events(*packet, kMuchData.bytes)) return error;
    }
    if (reader_.error()) return Error{name_ + ": " + reader_.error()->message};
    if (Clock::now() >= deadline) return {};
    auto more = receive(deadline, kMuchData.bytes);
    if (!more) return more.error();
    if (!*more) return {};
  }
}

std::optional<Error> DdmClient::idle(double seconds, const std::function<bool()>& ended) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!ended()) {
    const std::chrono::duration<double, std::milli> left = end - Clock::now();
    if (left.count() <= 0) break;
    const std::chrono::milliseconds step(std::lround(std::min(left.count(), 100.0)) + 1);
    take_events();
    if (auto gone = listen(step)) return gone;
  }
  take_events();
  return {};
}

Error DdmClient::unexpected(const Chunk& answer) {
  if (answer.type == 0) return {"the target has no answer to that"};
  return {"the target answered with " + chunk_name(answer.type) + " of " +
          std::to_string(answer.data.size()) + " bytes, which makes no sense here"};
}

// A program that ends closes its connections first.
Error DdmClient::closed_error() const {
  constexpr std::chrono::seconds kEndingTime{2};
  return {process_.ends_within(kEndingTime) ? "the program has ended"
                                            : name_ + " has closed the connection"};
}

Error DdmClient::silence_error(std::chrono::seconds silence) const {
  return {name_ + " has said nothing for " + std::to_string(silence.count()) + " s"};
}

Error DdmClient::size_error(std::size_t most) const {
  return {name_ + " has sent more than " + human_bytes(most) + " and no answer to the question"};
}

}  // namespace ddm
