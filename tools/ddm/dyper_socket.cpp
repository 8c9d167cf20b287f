#include "dyper_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "containers/published.h"
#include "ddm_client.h"

namespace ddm {
namespace {

constexpr std::string_view kMessageEnd = "\nENDDYPERMSG\n", kReplyEnd = "\nENDDYPERREPLY\n";
constexpr std::size_t kMostReceived = DdmClient::kLongWork.bytes;

}  // namespace

DyperSocket::DyperSocket(FileDescriptor socket, std::string name)
    : socket_(std::move(socket)), name_(std::move(name)) {}

Result<DyperSocket> DyperSocket::connect(const TargetAddress& address) {
  auto socket = connect_to_target_at(address, DdmClient::kConnectTime);
  if (!socket) return socket.error();
  const int flags = fcntl(socket->get(), F_GETFL);
  (void)fcntl(socket->get(), F_SETFL, flags & ~O_NONBLOCK);
  DyperSocket dyper(std::move(*socket), to_string(address));
  const auto deadline = Clock::now() + DdmClient::kConnectTime;
  while (dyper.messages_.size() < 2) {
    const auto received = dyper.receive(deadline);
    if (!received) return received.error();
    if (!*received) return Error{dyper.name_ + " does not begin as a DYPER server does"};
  }
  dyper.messages_.erase(dyper.messages_.begin(), dyper.messages_.begin() + 2);
  return dyper;
}

Result<std::string> DyperSocket::ask(std::string_view document) {
  const int failed = write_all(socket_.get(), std::string(document).append(kMessageEnd));
  if (failed != 0) return Error{"writing to " + name_ + ": " + errno_text(failed)};
  const auto deadline = Clock::now() + DdmClient::kLongWork.silence;
  while (!reply_) {
    const auto received = receive(deadline);
    if (!received) return received.error();
    if (!*received) return Error{name_ + " does not answer"};
  }
  return *std::exchange(reply_, {});
}

std::optional<Error> DyperSocket::listen(std::chrono::milliseconds time) {
  for (const auto deadline = Clock::now() + time;;) {
    const auto received = receive(deadline);
    if (!received) return received.error();
    if (!*received) return {};
  }
}

std::vector<std::string> DyperSocket::take_messages() { return std::exchange(messages_, {}); }

Result<bool> DyperSocket::receive(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd polled{socket_.get(), POLLIN, 0};
  if (left.count() < 0 || poll(&polled, 1, static_cast<int>(left.count())) == 0) return false;
  std::array<char, 65536> bytes;
  const ssize_t size = read(socket_.get(), bytes.data(), bytes.size());
  if (size == 0) return Error{name_ + " has closed the connection"};
  if (size < 0) return errno_error("reading from " + name_);
  buffer_.append(bytes.data(), static_cast<std::size_t>(size));
  if (buffer_.size() > kMostReceived) return Error{name_ + " answers with more than it may"};
  for (;;) {
    const std::size_t reply = buffer_.find(kReplyEnd), message = buffer_.find(kMessageEnd);
    const std::size_t end = std::min(reply, message);
    if (end == std::string::npos) return true;
    std::string whole = buffer_.substr(0, end + 1);
    buffer_.erase(0, end + (end == reply ? kReplyEnd : kMessageEnd).size());
    if (end == reply) {
      reply_ = std::move(whole);
    } else {
      messages_.push_back(std::move(whole));
    }
  }
}

}  // namespace ddm
