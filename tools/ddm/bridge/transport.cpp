#include "bridge/transport.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "bridge/shell.h"

namespace ddm {
namespace {

constexpr std::chrono::seconds kGreetingTime{10};
constexpr std::size_t kMaxStreams = 4096;
constexpr std::size_t kMaxQueued = std::size_t{1} << 20;
constexpr std::uint32_t kMinPayload = 4096;  // the maximum of the oldest adb

std::string banner() {
  std::string text = "device::";
  for (const auto& [name, value] : device_properties()) {
    if (name.starts_with("ro.product.") && name.find("cpu") == std::string::npos) {
      text += name + "=" + value + ";";
    }
  }
  return text + "features=shell_v2";
}

}  // namespace

Transport::Transport(FileDescriptor socket, Services& services)
    : socket_(std::move(socket)), services_(services), deadline_(Clock::now() + kGreetingTime) {}

void Transport::add_polled(std::vector<pollfd>& polled) const {
  const int read = out_.size() < kMaxQueued ? POLLIN : 0;
  const int write = out_.empty() ? 0 : POLLOUT;
  polled.push_back({socket_.get(), static_cast<short>(read | write), 0});
  for (const auto& [id, open] : streams_) {
    polled.push_back({open.stream->fd(), open.stream->events(may_take(open)), 0});
  }
}

bool Transport::on_ready(const pollfd*& polled) {
  const short own = (polled++)->revents;
  for (const auto& [id, open] : streams_) {
    const short revents = (polled++)->revents;
    if (revents != 0) open.stream->on_ready(revents);
  }
  if ((own & (POLLIN | POLLHUP | POLLERR)) != 0 && !read()) return false;
  return (own & POLLOUT) == 0 || write();
}

bool Transport::may_take(const OpenStream& open) const {
  return !open.waiting && out_.size() < kMaxQueued;
}

bool Transport::pump() {
  for (auto at = streams_.begin(); at != streams_.end();) {
    OpenStream& open = at->second;
    if (open.owes_answer && open.stream->wants_data()) {
      open.owes_answer = false;
      send({kAdbOkay, at->first, open.remote_id, {}});
    }
    if (may_take(open)) {
      std::string data = open.stream->take(max_payload_);
      if (!data.empty()) {
        open.waiting = true;
        send({kAdbWrite, at->first, open.remote_id, std::move(data)});
      } else if (open.stream->ended()) {
        at = close(at);
        continue;
      }
    }
    ++at;
  }
  return write();
}

bool Transport::read() {
  std::array<char, 65536> buffer;
  const ssize_t size = recv(socket_.get(), buffer.data(), buffer.size(), 0);
  if (size < 0) return errno == EAGAIN || errno == EINTR;
  if (size == 0) return false;
  reader_.append({buffer.data(), static_cast<std::size_t>(size)});
  while (auto packet = reader_.next()) {
    if (!handle(std::move(*packet))) return false;
  }
  return !reader_.error() || fail(reader_.error()->message);
}

bool Transport::write() {
  while (!out_.empty()) {
    const ssize_t size = ::send(socket_.get(), out_.data(), out_.size(), MSG_NOSIGNAL);
    if (size > 0) {
      out_.erase(0, static_cast<std::size_t>(size));
    } else if (errno != EINTR) {
      return errno == EAGAIN;
    }
  }
  return true;
}

bool Transport::handle(AdbPacket packet) {
  if (packet.command == kAdbConnect) return connect(packet);
  if (!connected_) return fail("the first packet is not CNXN");
  if (packet.command == kAdbOpen) {
    open(packet);
    return true;
  }
  const auto at = streams_.find(packet.arg1);
  // Old adbs close with arg0 0.
  const bool nameless = packet.command == kAdbClose && packet.arg0 == 0;
  if (at == streams_.end() || (at->second.remote_id != packet.arg0 && !nameless)) {
    // A stream closed here meanwhile: its CLSE is in transit to adb. A write to a stream that never
    // existed is answered with CLSE, too, so that adb does not wait.
    if (packet.command == kAdbWrite) send({kAdbClose, 0, packet.arg0, {}});
    return true;
  }
  switch (packet.command) {
    case kAdbOkay:
      at->second.waiting = false;
      break;
    case kAdbWrite:
      if (at->second.owes_answer) return fail("data before the data before was acknowledged");
      at->second.owes_answer = true;
      at->second.stream->put(std::move(packet.payload));
      break;
    case kAdbClose:
      close(at);
      break;
    default:
      break;  // AUTH and STLS: never requested
  }
  return true;
}

bool Transport::connect(const AdbPacket& packet) {
  if (packet.arg1 < kMinPayload) return fail("CNXN offers payloads of less than 4096 bytes");
  streams_.clear();  // adb begins anew
  const std::uint32_t version = std::min(packet.arg0, kAdbVersionNoChecksums);
  if (version < kAdbVersionChecksums) return fail("CNXN with a version that nobody has");
  max_payload_ = std::min(packet.arg1, kAdbMaxPayload);
  // The reply CNXN follows the old rule, since it announces the new one to adb.
  checksums_ = true;
  send({kAdbConnect, version, kAdbMaxPayload, banner()});
  checksums_ = version < kAdbVersionNoChecksums;
  reader_.expect(checksums_ ? AdbReader::Checksums::kRight : AdbReader::Checksums::kIgnored);
  connected_ = true;
  deadline_ = Clock::time_point::max();
  return true;
}

void Transport::open(const AdbPacket& packet) {
  std::string name = packet.payload;
  name.erase(std::ranges::find(name, '\0'), name.end());
  std::unique_ptr<Stream> stream;
  // arg1 would be a window for delayed acknowledgements, which this side does not offer.
  if (packet.arg0 != 0 && packet.arg1 == 0 && streams_.size() < kMaxStreams) {
    stream = services_.open(name);
  }
  if (!stream) {
    send({kAdbClose, 0, packet.arg0, {}});
    return;
  }
  do {
    ++last_id_;
  } while (last_id_ == 0 || streams_.count(last_id_) != 0);
  streams_[last_id_] = {packet.arg0, std::move(stream), false, false};
  send({kAdbOkay, last_id_, packet.arg0, {}});
}

Transport::Streams::iterator Transport::close(Streams::iterator at) {
  send({kAdbClose, at->first, at->second.remote_id, {}});
  return streams_.erase(at);
}

void Transport::send(const AdbPacket& packet) { out_ += encode(packet, checksums_); }

bool Transport::fail(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

}  // namespace ddm
