#include "wire/sessions/connection.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "wire/chunks/fail.h"
#include "wire/chunks/zlib_chunk.h"

namespace ddm {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} << 10;
// TCP does not report that a half-closed peer has closed its other half, too.
constexpr std::chrono::milliseconds kLookInterval{100};

}  // namespace

Connection::Connection(std::shared_ptr<const ServerContext> context, std::uint64_t id,
                       FileDescriptor socket, std::string peer, bool checked)
    : context_(std::move(context)),
      id_(id),
      peer_(std::move(peer)),
      socket_(std::move(socket)),
      queue_(context_->options.limits.max_queue, context_->options.limits.max_queue / 4),
      reader_(context_->options.limits.max_packet),
      stage_(checked ? Stage::kGreeting : Stage::kUnchecked),
      handshake_due_(Clock::now() + context_->options.limits.handshake_time) {}

void Connection::send_event(Chunk chunk) {
  if (!is_open()) return;
  if (takes_zlib()) chunk = smallest_chunk(std::move(chunk));
  send(event_packet(std::move(chunk)));
}

bool Connection::takes_zlib() const {
  const Compression compression = context_->options.compression;
  return compression == Compression::kAlways ||
         (compression == Compression::kAuto && understands_zlib);
}

void Connection::close() {
  close_requested_ = true;
  context_->waker->wake();
}

void Connection::push(OutgoingPacket packet) {
  const SendQueue::Push pushed = queue_.push(std::move(packet));
  if (pushed == SendQueue::Push::kDropped) return;
  if (pushed == SendQueue::Push::kOverflow && !close_requested_.exchange(true)) {
    context_->log(LogLevel::kInfo, peer_ + " does not read what it is sent; dropped");
  }
  context_->waker->wake();
}

void Connection::reply(std::uint32_t id, std::size_t request_size, std::vector<Chunk> chunks) {
  push(reply_packet(id, std::move(chunks)));
  request_bytes_ -= request_size;
  --requests_;
  context_->waker->wake();  // reading may continue
}

pollfd Connection::polled() const {
  const int events = (paused_ || half_closed() ? 0 : POLLIN) | (queue_.waiting() ? POLLOUT : 0);
  return {fd(), static_cast<short>(events), 0};
}

bool Connection::read() {
  if (stage_ == Stage::kUnchecked) {
    if (const auto unwanted = check_peer(fd(), context_->options.access)) {
      context_->on_refused_peer("connection to " + peer_ + " refused: " + unwanted->message);
      return false;
    }
    stage_ = Stage::kGreeting;
  }
  std::array<std::uint8_t, kReadSize> buffer;
  // One read per turn, for fairness among peers.
  const ssize_t size = recv(fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (size < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
  if (size == 0) return on_end_of_file();
  ByteSpan data(buffer.data(), static_cast<std::size_t>(size));
  if (stage_ == Stage::kGreeting && !shake_hands(data)) return false;
  reader_.append(data);
  return handle_packets();
}

// Debuggers close both sides.
bool Connection::on_end_of_file() {
  const bool waits = requests_ != 0 || queue_.waiting();
  if (stage_ < Stage::kJdwp || debugged_ || !waits || !still_reads(fd())) return false;
  packet_due_ = Clock::time_point::max();  // a begun packet is never finished
  look_due_ = Clock::now() + kLookInterval;
  return true;
}

bool Connection::shake_hands(ByteSpan& data) {
  while (handshake_bytes_ < kHandshake.size() && !data.empty()) {
    if (data.front() != static_cast<std::uint8_t>(kHandshake[handshake_bytes_])) {
      return refuse(peer_ + " does not speak JDWP; dropped");
    }
    ++handshake_bytes_;
    data = data.subspan(1);
  }
  if (handshake_bytes_ == kHandshake.size()) {
    const auto* text = reinterpret_cast<const std::uint8_t*>(kHandshake.data());
    queue_.open({text, kHandshake.size()});
    context_->waker->wake();
    context_->log(LogLevel::kDebug, peer_ + " connected");
    stage_ = Stage::kJdwp;
  }
  return true;
}

bool Connection::too_busy() const {
  const ServerLimits& limits = context_->options.limits;
  // Resumes when half is answered, so that a busy peer does not toggle at every request.
  const std::size_t share = paused_ ? 2 : 1;
  return requests_ >= std::max<std::size_t>(limits.max_requests / share, 1) ||
         request_bytes_ >= std::max<std::size_t>(limits.max_request_bytes / share, 1);
}

bool Connection::handle_packets() {
  // A debugger's suspension may include threads that requests wait for, and the command that
  // resumes them arrives on this connection: it must always be read.
  while (!(paused_ = !debugged_ && (too_busy() || (is_open() && !has_room())))) {
    std::optional<Packet> packet = reader_.next();
    if (!packet) break;
    packet_due_ = Clock::time_point::max();
    handle(std::move(*packet));
  }
  if (reader_.error()) return refuse(peer_ + " dropped: " + reader_.error()->message);
  if (paused_) {
    packet_due_ = Clock::time_point::max();  // its rest is not read, so the peer is not late
  } else if (!half_closed() && reader_.in_packet() && packet_due_ == Clock::time_point::max()) {
    packet_due_ = Clock::now() + context_->options.limits.packet_time;
  }
  return true;
}

void Connection::handle(Packet packet) {
  if (packet.header.is_reply()) return;  // the agent sends no commands that expect a reply
  if (packet.header.is_ddm_command()) return dispatch(std::move(packet));
  DebuggerLink* debugger = context_->options.debugger;
  if (debugger != nullptr && debugger->packet(shared_from_this(), packet.bytes)) {
    debugged_ = true;
  } else {
    push(error_packet(packet.header.id, kErrorNotImplemented));
  }
}

void Connection::dispatch(Packet packet) {
  const SessionPtr self = shared_from_this();
  if (std::exchange(stage_, Stage::kDdm) != Stage::kDdm && context_->options.observer != nullptr) {
    context_->options.observer->connected(self);
  }
  if (debugged_ && too_busy()) {
    const Fail fail{FailCode::kInternal, "too many requests are unanswered"};
    return push(reply_packet(packet.header.id, {to_chunk(fail)}));
  }
  const std::size_t size = packet.bytes.size();
  ++requests_;
  request_bytes_ += size;
  Bytes payload = std::move(packet.bytes);
  payload.erase(payload.begin(), payload.begin() + kPacketHeaderSize);
  context_->dispatcher.dispatch(
      self, std::move(payload), context_->executor,
      [connection = shared_from_this(), id = packet.header.id, size](std::vector<Chunk> answers) {
        connection->reply(id, size, std::move(answers));
      });
}

bool Connection::on_wakeup() {
  if (close_requested_) return false;
  // Its answers are queued; events could go on for ever.
  if (half_closed() && !paused_ && requests_ == 0) queue_.finish();
  const SendQueue::Drain drained = queue_.drain(fd());
  if (drained == SendQueue::Drain::kBroken || drained == SendQueue::Drain::kFinished) return false;
  // After the drain: once nothing is left to write, nothing wakes a connection that is not being
  // read.
  if (paused_ && !handle_packets()) return false;
  free_leftovers();
  if (queue_.has_room_again()) context_->executor.resume();
  return true;
}

void Connection::free_leftovers() {
  SendQueue::Leftovers leftovers = queue_.take_leftovers();
  if (leftovers.empty()) return;
  context_->executor.run(Lane::kSlow, nullptr, [gone = std::move(leftovers)] {});
}

Peer::Burden Connection::burden() const {
  const auto unread = queue_.waiting().value_or(SendQueue::Waiting{});
  return {reader_.held() + request_bytes_ + answer_bytes + unread.memory, unread.stored};
}

Clock::time_point Connection::deadline() const {
  if (stage_ < Stage::kJdwp) return handshake_due_;
  const Clock::time_point due = std::min(packet_due_, look_due_);
  const auto unread = queue_.waiting();
  if (!unread) return due;
  return std::min(due, unread->last_progress + context_->options.limits.unread_time);
}

bool Connection::on_deadline(Clock::time_point now) {
  if (now >= look_due_) {
    if (!still_reads(fd())) return false;
    look_due_ = now + kLookInterval;
  }
  if (now < deadline()) return true;
  if (stage_ < Stage::kJdwp) return refuse(peer_ + " sent no handshake in time; dropped");
  if (now >= packet_due_) return refuse(peer_ + " left a packet unfinished; dropped");
  return refuse(peer_ + " does not read what it is sent; dropped");
}

void Connection::end(bool notify) {
  queue_.close();
  socket_.reset();
  if (!notify) return;
  free_leftovers();
  const SessionPtr self = shared_from_this();
  if (stage_ == Stage::kDdm && context_->options.observer != nullptr) {
    context_->options.observer->disconnected(self);
  }
  if (context_->options.debugger != nullptr) context_->options.debugger->closed(self);
  context_->log(LogLevel::kDebug, peer_ + " disconnected");
  context_->executor.resume();  // tasks that waited for this peer to read can run and end
}

bool Connection::refuse(const std::string& why) {
  context_->log(LogLevel::kInfo, why);
  return false;
}

}  // namespace ddm
