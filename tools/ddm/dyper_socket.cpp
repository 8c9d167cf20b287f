#include "dyper_socket.h"

#include <poll.h>
#include <sys/socket.h>

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

// False: the socket is not ready at the deadline.
bool wait_for(int socket, short events, std::chrono::steady_clock::time_point deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  pollfd polled{socket, events, 0};
  return left.count() >= 0 && poll(&polled, 1, static_cast<int>(left.count())) != 0;
}

}  // namespace

DyperSocket::DyperSocket(FileDescriptor socket, std::string name)
    : socket_(std::move(socket)), name_(std::move(name)) {}

Result<DyperSocket> DyperSocket::connect(const TargetAddress& address) {
  auto socket = connect_to_target_at(address, DdmClient::kConnectTime);
  if (!socket) return socket.error();
  DyperSocket dyper(std::move(*socket), to_string(address));
  const auto deadline = Clock::now() + DdmClient::kConnectTime;
  while (dyper.messages_.size() < 2) {
    const auto received = dyper.receive(deadline);
    if (!received) return received.error();
    if (*received) continue;
    const bool silent = dyper.buffer_.empty();
    return Error{dyper.name_ +
                 (silent ? " does not answer" : " does not begin as a DYPER server does")};
  }
  dyper.greeted_ = true;
  dyper.messages_.erase(dyper.messages_.begin(), dyper.messages_.begin() + 2);
  return dyper;
}

Result<std::string> DyperSocket::ask(std::string_view document) {
  const std::string whole = std::string(document).append(kMessageEnd);
  if (auto error = send(whole, DdmClient::kLongWork.silence)) return std::move(*error);
  const auto deadline = Clock::now() + DdmClient::kLongWork.silence;
  while (!reply_) {
    const auto received = receive(deadline);
    if (!received) return received.error();
    if (!*received) return Error{name_ + " does not answer"};
  }
  return *std::exchange(reply_, {});
}

std::optional<Error> DyperSocket::send(std::string_view text, std::chrono::seconds silence) {
  auto deadline = Clock::now() + silence;
  while (!text.empty()) {
    const ssize_t size = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (size > 0) {
      text.remove_prefix(static_cast<std::size_t>(size));
      deadline = Clock::now() + silence;
    } else if (errno == EAGAIN) {
      if (!wait_for(socket_.get(), POLLOUT, deadline)) return Error{name_ + " does not answer"};
    } else if (errno != EINTR) {
      return errno_error("writing to " + name_);
    }
  }
  return {};
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
  if (!wait_for(socket_.get(), POLLIN, deadline)) return false;
  std::array<char, 65536> bytes;
  const ssize_t size = recv(socket_.get(), bytes.data(), bytes.size(), 0);
  if (size == 0) {
    return Error{name_ + " has closed the connection" +
                 (greeted_ ? "" : "; it may have its 16 clients already, or refuse this user")};
  }
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (size < 0) return errno_error("reading from " + name_);
  // What was searched before may end with the beginning of a marker.
  std::size_t from = buffer_.size() - std::min(buffer_.size(), kReplyEnd.size());
  buffer_.append(bytes.data(), static_cast<std::size_t>(size));
  if (buffer_.size() > kMostReceived) return Error{name_ + " answers with more than it may"};
  for (;; from = 0) {
    const std::size_t reply = buffer_.find(kReplyEnd, from);
    const std::size_t message = buffer_.find(kMessageEnd, from);
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
